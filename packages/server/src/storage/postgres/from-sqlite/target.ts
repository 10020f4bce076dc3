import pg from "pg";
import type { ContentCipher } from "../content-cipher.js";
import { dataCopy } from "../database/unfinished-copy.js";
import { verifyPostgresDatabase } from "../verification.js";
import type { CopiedTable, PlainRow } from "./copied-table.js";
import { copiedTables } from "./copied-tables.js";
import { DataCopyError } from "./data-copy-error.js";
import type { SourceKey } from "./source.js";

/** How far a copy is. It is stored in the target, in the transaction of the rows. */
export interface CopyProgress {
  /** The fingerprint of the source. */
  readonly source: string;
  /** The number of copied rows of each table that was begun. */
  readonly rows: Readonly<Record<string, number>>;
  /** The table of the last copied row; undefined before the first. */
  readonly table?: string;
  /** The key of the last copied row. */
  readonly after?: SourceKey;
  /** When the copy was verified, in milliseconds since the Unix epoch. */
  readonly finishedAt?: number;
}

/** A PostgreSQL database that data is copied to. */
export interface Target {
  /** Returns how far an earlier copy got; undefined if the database is empty. @throws DataCopyError "target_not_empty" */
  begun(): Promise<CopyProgress | undefined>;
  /** Inserts rows, by their table, and saves the progress, in one transaction. */
  write(inserts: ReadonlyMap<string, readonly PlainRow[]>, progress: CopyProgress): Promise<void>;
  /** Reads the rows of a table in plain. */
  rows(table: CopiedTable, cipher: ContentCipher): AsyncIterable<PlainRow>;
  /** Compares every row with its checksum, and the state with the history. @throws StorageError "damaged" */
  verify(): Promise<void>;
  /** Sets what rows that are inserted later continue from, and collects statistics for the planner. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** The rows that one statement reads. */
const fetchSize = 1000;

/** @throws DataCopyError "target_failed", like every method of the target. */
export async function openTarget(url: string): Promise<Target> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: "platform migrate-data" });
  // A statement that is under way fails too.
  client.on("error", () => {});
  const query = async <R extends pg.QueryResultRow>(sql: string, ...values: readonly unknown[]): Promise<R[]> => {
    try {
      return (await client.query<R>(sql, [...values])).rows;
    } catch (error) {
      throw targetFailed(error);
    }
  };
  const inTransaction = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    await query(begin);
    try {
      const result = await work();
      await query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  };
  await client.connect().catch((error: unknown) => {
    throw targetFailed(error);
  });
  let revision = 0;

  return {
    async begun() {
      const sql = `SELECT value::json AS value, revision::integer FROM records WHERE ${dataCopy}`;
      const [found] = await query<{ value: CopyProgress; revision: number }>(sql);
      revision = found?.revision ?? 0;
      if (found !== undefined) return found.value;
      for (const table of copiedTables.flatMap(({ fills }) => Object.keys(fills))) {
        const [row] = await query(`SELECT 1 FROM ${table} LIMIT 1`);
        if (row !== undefined) throw notEmpty(table);
      }
      return undefined;
    },

    write: (inserts, progress) =>
      inTransaction("BEGIN", async () => {
        const value = JSON.stringify(progress);
        const saved =
          revision === 0
            ? await query(
                `INSERT INTO records (collection, key, tenant_id, principal_id, oauth_client_id, value, revision, created_at)
                 VALUES ('data-copy', '-', '-', '', '', $1, 1, $2) ON CONFLICT DO NOTHING RETURNING key`,
                value,
                Date.now(),
              )
            : await query(
                `UPDATE records SET value = $1, revision = revision + 1 WHERE ${dataCopy} AND revision = $2 RETURNING key`,
                value,
                revision,
              );
        if (saved.length === 0) throw notEmpty("records");
        for (const [table, rows] of inserts) {
          const columns = Object.keys(rows[0] ?? {}).join(", ");
          const sql = `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`;
          await query(sql, JSON.stringify(rows));
        }
        revision += 1;
      }),

    async *rows({ target, fromTarget }, cipher) {
      await query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT * FROM (${target}) AS found (copied)`);
      for (;;) {
        const rows = await query<{ copied: PlainRow }>(`FETCH ${fetchSize} FROM copied`);
        for (const { copied } of rows) yield fromTarget(copied, cipher);
        if (rows.length < fetchSize) break;
      }
      await query("COMMIT");
    },

    verify: () =>
      verifyPostgresDatabase(async <Result>(sql: string, ...values: readonly unknown[]) => {
        const [row = {}] = await query<Record<string, Result>>(sql, ...values);
        return Object.values(row)[0] as Result;
      }),

    async settle() {
      await query("SELECT setval(pg_get_serial_sequence('audit', 'position'), max(position)) FROM audit");
      await query("ANALYZE");
    },

    close: () => client.end(),
  };
}

function notEmpty(table: string): DataCopyError {
  return new DataCopyError(
    "target_not_empty",
    `The PostgreSQL database is not empty: the table ${table} has rows that this copy did not write. ` +
      "Nothing was changed. Create a new database, and copy to that one.",
  );
}

function targetFailed(cause: unknown): DataCopyError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DataCopyError(
    "target_failed",
    `PostgreSQL could not be reached, or rejected a statement: ${why}. Run the same command again: it continues where it stopped.`,
    { cause },
  );
}
