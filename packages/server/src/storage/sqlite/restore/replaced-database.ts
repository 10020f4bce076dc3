import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { HistoryEvent } from "../../../domain/model/history.js";
import { integer, text } from "../database/columns.js";
import { lockDatabase } from "../database/lock-database.js";
import { DatabaseInUseError } from "../database/open-errors.js";
import { settleLog } from "../database/write-ahead-log.js";
import { createNewVaultFloor } from "../tables/epochs.js";
import { toVaultRow } from "../tables/vaults.js";
import type { ReplacedSequences, VaultHead } from "./begin-epoch.js";

export interface ReplacedDatabase {
  readonly sequences: ReplacedSequences;
  /**
   * Returns the events of some subjects after a point in the past, the oldest first. Undefined: there is no database, or it cannot be
   * read.
   */
  eventsAfter(
    point: { readonly position: number; readonly at: number },
    subjects: readonly string[],
  ): HistoryEvent[] | undefined;
  /** Keeps its files under another name. The database also keeps its own name until the restored one replaces it. */
  setAside(name: string): void;
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

    eventsAfter: (point, subjects) => (database === undefined ? undefined : readEvents(database, point, subjects)),

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

/** Returns the heads that are not damaged: none when the database is not one of a platform. */
function readHeads(database: DatabaseSync): VaultHead[] {
  try {
    return database
      .prepare("SELECT * FROM vaults")
      .all()
      .flatMap((row) => {
        try {
          const { vault, head } = toVaultRow(text(row, "tenant_id"), text(row, "vault_id"), row);
          return [{ tenantId: vault.tenantId, vaultId: vault.vaultId, sequence: head }];
        } catch {
          return [];
        }
      });
  } catch {
    return [];
  }
}

/** Returns 0 when the database is damaged, not one of a platform, or was never restored. */
function readNewVaultFloor(database: DatabaseSync): number {
  try {
    return createNewVaultFloor(database)();
  } catch {
    return 0;
  }
}

/** Rows of a history that an earlier restore has ended may have lower positions: their time shows that they are newer. */
function readEvents(
  database: DatabaseSync,
  { position, at }: { readonly position: number; readonly at: number },
  subjects: readonly string[],
): HistoryEvent[] | undefined {
  try {
    const rows = database
      .prepare("SELECT position, at, subject, event FROM audit WHERE position > ? OR at > ? ORDER BY position")
      .iterate(position, at);
    const events: HistoryEvent[] = [];
    // An empty database was created meanwhile, and knows nothing of the lost one.
    if (database.prepare("SELECT 1 FROM audit LIMIT 1").get() === undefined) return undefined;
    for (const row of rows) {
      const subject = text(row, "subject");
      if (!subjects.some((start) => subject.startsWith(start))) continue;
      events.push({ position: integer(row, "position"), at: integer(row, "at"), subject, event: text(row, "event") });
    }
    return events;
  } catch {
    return undefined;
  }
}
