import { must, type OptionRules, requireOptions } from "@platform-rpc/options";
import { databaseUrl, pathTo, time } from "../../option-rules.js";
import { createContentCipher } from "../content-cipher.js";
import { openDatabase, StatementError } from "../database/database.js";
import { migrate, requireOwner } from "../migrate.js";
import { copiedTables } from "./copied-tables.js";
import { copySource } from "./copy-source.js";
import { DataCopyError } from "./data-copy-error.js";
import { openSource } from "./source.js";
import { inTarget, type Target, targetFailed } from "./target.js";

/** What is copied, and where to. */
export interface DataCopyOptions {
  /** The SQLite database file. No process may use it. */
  readonly path: string;
  /** The URL of an empty PostgreSQL database. */
  readonly url: string;
  /** The content key of the storage on PostgreSQL: see `PostgresStorageOptions`. */
  readonly contentKey: Uint8Array;
  /** The id of the keys that belong to the content key. The copy fails if the source was last used with other keys. */
  readonly keysId: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly now: number;
}

export const copyRules: OptionRules<DataCopyOptions> = {
  path: pathTo("the SQLite database file"),
  url: databaseUrl,
  contentKey: must("be a Uint8Array of 32 bytes or more", (value) => value instanceof Uint8Array && value.length >= 32),
  keysId: must("be the id of the keys", (value) => typeof value === "string"),
  now: time,
};

/** The result of a copy. */
export interface DataCopy {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** `copied`: by this call. `finished`: an earlier call had copied everything. */
  readonly how: "copied" | "finished";
}

/** Where the target says what was copied to it. */
const place = "tenant_id = '-' AND collection = 'data-copy' AND key = '-'";

/**
 * Copies everything in a SQLite database to an empty PostgreSQL database, and compares every row, in one transaction: the target contains
 * everything, or nothing. Contents are encrypted with keys derived from the content key.
 *
 * A copy that was interrupted starts again with the same call. The content of the source is not changed.
 *
 * @throws DataCopyError, DatabaseInUseError, DatabaseTooNewError, DatabaseTooOldError, PostgresSchemaTooNewError,
 *   PostgresSchemaTooOldError.
 */
export async function copySqliteToPostgres(options: DataCopyOptions): Promise<DataCopy> {
  requireOptions("copySqliteToPostgres", options, copyRules);
  const { path, url, contentKey, keysId, now } = options;
  using source = openSource(path, keysId);
  const name = "platform migrate-data";
  await createTables(url, name);
  return await inTarget({ url, name }, async (target) => {
    // Whoever uses a database writes a record. Another copy waits, and then finds this one.
    await target.query("LOCK TABLE records IN EXCLUSIVE MODE");
    const [earlier] = await target.query<{ source: string; rows: DataCopy["rows"] }>(
      `SELECT value::json->>'source' AS source, value::json->'rows' AS rows FROM records WHERE ${place}`,
    );
    if (earlier?.source === source.fingerprint) return { rows: earlier.rows, how: "finished" };
    await requireEmpty(target);
    const rows = await copySource(source, target, createContentCipher(contentKey));
    await target.query(
      `INSERT INTO records (tenant_id, collection, key, principal_id, oauth_client_id, value, revision, created_at)
       VALUES ('-', 'data-copy', '-', '', '', $1, 1, $2)`,
      // Earlier versions start only on a copy that says when it was finished.
      JSON.stringify({ source: source.fingerprint, rows, finishedAt: now }),
      now,
    );
    // What is written next continues after the copied rows, and the planner knows the tables.
    await target.query("SELECT setval(pg_get_serial_sequence('audit', 'position'), max(position)) FROM audit");
    await target.query("ANALYZE");
    return { rows, how: "copied" };
  });
}

async function createTables(url: string, name: string): Promise<void> {
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name });
  try {
    await migrate(database);
    await requireOwner(database);
  } catch (error) {
    throw error instanceof StatementError ? targetFailed(error.cause) : error;
  } finally {
    await database.close();
  }
}

async function requireEmpty(target: Target): Promise<void> {
  for (const table of copiedTables.flatMap(({ fills }) => Object.keys(fills))) {
    const [row] = await target.query(`SELECT 1 FROM ${table} LIMIT 1`);
    if (row === undefined) continue;
    throw new DataCopyError(
      "target_not_empty",
      `The PostgreSQL database is not empty: the table ${table} has rows that are not a copy of this source. ` +
        "Nothing was changed. Create a new database, and copy to that one.",
    );
  }
}
