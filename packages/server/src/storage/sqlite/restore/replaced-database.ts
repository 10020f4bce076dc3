import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { lockDatabase } from "../backup/lock-database.js";
import { integer, text } from "../columns.js";
import { DatabaseInUseError } from "../open-errors.js";
import { settleLog } from "../settle-log.js";
import type { ReplacedSequences, VaultHead } from "./begin-epoch.js";

/** The database that a restore replaces. */
export interface ReplacedDatabase {
  readonly sequences: ReplacedSequences;
  /** Keeps its files under another name. The database also keeps its own name until the restored one replaces it. */
  setAside(name: string): void;
  /** Releases the lock. */
  release(): void;
}

/**
 * Locks the database to be replaced, if it exists, so that no process can start to serve it. A damaged database cannot be
 * locked, but cannot be served either.
 *
 * @throws DatabaseInUseError
 */
export function lockReplaced(path: string): ReplacedDatabase {
  settleLog(path);
  const database = existsSync(path) ? tryLock(path) : undefined;
  return {
    sequences: {
      heads: database === undefined ? [] : readHeads(database),
      newVaultFloor: database === undefined ? 0 : readNewVaultFloor(database),
    },

    setAside(name) {
      if (existsSync(path)) linkSync(path, name);
      for (const suffix of ["-wal", "-journal"]) {
        if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
      }
      rmSync(`${path}-shm`, { force: true });
    },

    release() {
      database?.close();
    },
  };
}

function tryLock(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    const locked = lockDatabase(path);
    database = locked;
    // Moves the log into the database file. When this lock is released, SQLite must not touch the files of the restored one.
    locked.exec("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF");
    // With an exclusive lock, the journal of this last, committed change remains.
    rmSync(`${path}-journal`, { force: true });
    return locked;
  } catch (error) {
    if (error instanceof DatabaseInUseError) throw error;
    database?.close();
    return undefined;
  }
}

/** Returns no heads when the database is damaged, or not one of a platform. */
function readHeads(database: DatabaseSync): VaultHead[] {
  try {
    return database
      .prepare("SELECT tenant_id, vault_id, sequence FROM vaults")
      .all()
      .map((row) => ({
        tenantId: text(row, "tenant_id"),
        vaultId: text(row, "vault_id"),
        sequence: integer(row, "sequence"),
      }));
  } catch {
    return [];
  }
}

/** Returns 0 when the database is damaged, not one of a platform, or was never restored. */
function readNewVaultFloor(database: DatabaseSync): number {
  try {
    const row = database.prepare("SELECT coalesce(max(new_vault_floor), 0) AS floor FROM epochs").get();
    return row === undefined ? 0 : integer(row, "floor");
  } catch {
    return 0;
  }
}
