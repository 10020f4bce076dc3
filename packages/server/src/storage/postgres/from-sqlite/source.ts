import { createHash } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { boundKeys } from "../../../domain/bound-keys.js";
import { installation } from "../../../domain/model/collection.js";
import { findDamage, rejectForeign } from "../../sqlite/database/check-database.js";
import { type Row, text } from "../../sqlite/database/columns.js";
import { lockDatabase } from "../../sqlite/database/lock-database.js";
import { newestVersion, readSchemaVersion } from "../../sqlite/database/migrate.js";
import { DatabaseForeignError } from "../../sqlite/database/open-errors.js";
import { failedAs, showsDamage } from "../../sqlite/database/sqlite-error.js";
import { settleLog } from "../../sqlite/database/write-ahead-log.js";
import { createAuditSeals } from "../../sqlite/tables/audit-seals.js";
import { createRecords } from "../../sqlite/tables/records.js";
import { verifyDatabase } from "../../sqlite/tables/verification.js";
import type { CopiedTable, SourceRow } from "./copied-table.js";
import { DataCopyError } from "./data-copy-error.js";

/** A locked SQLite database. */
export interface Source {
  /** Changes with every write of the platform. */
  readonly fingerprint: string;
  /** Returns the ids of the tenants that have vaults or records, in their order. */
  tenants(): readonly string[];
  /** Reads the rows of a table, in the order of its key. @throws DataCopyError "source_damaged" */
  rows(table: CopiedTable): Iterable<SourceRow>;
  /** Compares every row with its checksum, and the state with the history. @throws DataCopyError "source_damaged" */
  verify(): void;
  /** Seals the audit trail to its end, so that another database can continue it. @throws DataCopyError "source_damaged" */
  sealTrail(): void;
  /** Renames the file. Its lock is kept until the end, so that no process serves it meanwhile. */
  rename(path: string): void;
  /** Ends the use of the file, and its lock. */
  [Symbol.dispose](): void;
}

/** The audit records that are read at once to seal them. */
const sealedAtOnce = 10_000;

/**
 * Locks a database that no process uses, and checks its structure. The content of the database is not changed.
 *
 * @param keysId the id of the keys of the program. Those that the database was last used with must be the same.
 * @throws DataCopyError, DatabaseInUseError, DatabaseTooNewError, DatabaseTooOldError
 */
export function openSource(path: string, keysId: string): Source {
  if (!existsSync(path))
    throw new DataCopyError("no_source", `There is no file ${path}. Check the path of the database.`);
  settleLog(path);
  const database = lock(path);
  try {
    checkSchema(database, path);
    const damage = findDamage(database) ?? database.prepare("PRAGMA foreign_key_check").get();
    if (damage !== undefined) throw damaged(path, "", damage);
    const keys = boundKeys.read(createRecords(database).find(boundKeys.key(installation, installation)));
    if (keys !== undefined && keys.keysId !== keysId) throw otherKeys(path, keys.keysId, keysId);
  } catch (error) {
    database.close();
    throw error;
  }
  const reading = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      throw showsDamage(error) ? damaged(path, "", error) : error;
    }
  };
  return {
    fingerprint: fingerprintOf(database),

    tenants() {
      const sql = "SELECT tenant_id FROM vaults UNION SELECT tenant_id FROM records ORDER BY tenant_id";
      const ids = database
        .prepare(sql)
        .all()
        .map((row) => text(row, "tenant_id"));
      return ids.filter((id) => id !== installation);
    },

    *rows({ name, source, key, fromSource }) {
      const query = database.prepare(`${source} ORDER BY ${key.join(", ")}`);
      let place = "";
      try {
        for (const row of query.iterate()) {
          place = placeOf(row);
          yield fromSource(row);
        }
      } catch (error) {
        throw showsDamage(error) ? damaged(path, ` In the table ${name}, a row is damaged${place}.`, error) : error;
      }
    },

    verify: () => reading(() => verifyDatabase(database)),

    sealTrail() {
      const trail = createAuditSeals(database);
      reading(() => {
        database.exec("BEGIN");
        for (let seals = trail.next(sealedAtOnce); seals.length > 0; seals = trail.next(sealedAtOnce)) {
          for (const seal of seals) trail.append(seal);
        }
        database.exec("COMMIT");
      });
    },

    rename(to) {
      // In WAL mode, closing the database would remove the log at the old path, where another database can be by then.
      database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
      renameSync(path, to);
    },

    [Symbol.dispose]: () => database.close(),
  };
}

function lock(path: string): DatabaseSync {
  try {
    return lockDatabase(path);
  } catch (error) {
    throw failedAs(error, "notADatabase") ? notAPlatform(path) : error;
  }
}

function checkSchema(database: DatabaseSync, path: string): void {
  try {
    rejectForeign(database, path);
  } catch (error) {
    throw error instanceof DatabaseForeignError ? notAPlatform(path) : error;
  }
  const version = readSchemaVersion(database, path);
  if (version === newestVersion) return;
  if (version === 0) throw notAPlatform(path);
  throw new DataCopyError(
    "no_source",
    `The database ${path} has schema version ${version}, and this program copies version ${newestVersion}. ` +
      "Start this version of the program on it once, which upgrades it, and stop it.",
  );
}

/** Returns a digest of the newest row of everything that every use of the database changes. */
function fingerprintOf(database: DatabaseSync): string {
  const newest = [
    "SELECT * FROM records WHERE collection = 'clock'",
    "SELECT * FROM changes ORDER BY position DESC LIMIT 1",
    "SELECT * FROM audit ORDER BY position DESC LIMIT 1",
    "SELECT * FROM epochs ORDER BY number DESC LIMIT 1",
    "SELECT count(*), sum(revision) FROM records",
  ].map((sql) => database.prepare(sql).get() ?? null);
  return createHash("sha256").update(JSON.stringify(newest)).digest("hex");
}

/** Describes where a row is, without its content. */
function placeOf(row: Row): string {
  const parts = ["tenant_id", "collection", "vault_id", "item_id", "sequence", "position"].flatMap((column) => {
    const value = row[column];
    return typeof value === "string" || typeof value === "number" ? [`${column} ${value}`] : [];
  });
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

function notAPlatform(path: string): DataCopyError {
  return new DataCopyError("no_source", `The file ${path} is not a database of a platform. Check the path.`);
}

function otherKeys(path: string, last: string, keysId: string): DataCopyError {
  const message = `The database ${path} was last used with the keys ${last}, and these are the keys ${keysId}.`;
  return new DataCopyError("other_keys", `${message} Set KEYS_FILE to the file that the platform has used.`);
}

function damaged(path: string, where: string, cause: unknown): DataCopyError {
  const message = `The database ${path} is damaged.${where} Restore a backup of it, and copy that one to an empty target.`;
  return new DataCopyError("source_damaged", message, { cause });
}
