import pg from "pg";
import type { ContentCipher } from "../content-cipher.js";
import { verifyPostgresDatabase } from "../verification.js";
import type { CopiedTable, PlainRow } from "./copied-table.js";
import { DataCopyError } from "./data-copy-error.js";

/** A transaction of a PostgreSQL database that data is copied to. Nothing is stored before its COMMIT. */
export interface Target {
  query<R extends pg.QueryResultRow>(sql: string, ...values: readonly unknown[]): Promise<R[]>;
  insert(inserts: ReadonlyMap<string, readonly PlainRow[]>): Promise<void>;
  /** Reads the rows of a table in plain. */
  rows(table: CopiedTable, cipher: ContentCipher): AsyncIterable<PlainRow>;
  /** Compares every row with its checksum, and the state with the history. @throws StorageError "damaged" */
  verify(): Promise<void>;
}

/** The rows that one statement reads. */
const fetchSize = 1000;

/**
 * Works in a transaction of a database, and commits it. If the work rejects, the transaction ends with the connection.
 *
 * @throws DataCopyError "target_failed", like every method of the target.
 */
export async function inTarget<Result>(
  { url, name }: { readonly url: string; readonly name: string },
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: name });
  // A statement that is under way fails too.
  client.on("error", () => {});
  await client.connect().catch((error: unknown) => {
    throw targetFailed(error);
  });
  try {
    const target = createTarget(client);
    await target.query("BEGIN");
    const result = await work(target);
    await target.query("COMMIT");
    return result;
  } finally {
    await client.end();
  }
}

/** @param client in a transaction. */
export function createTarget(client: pg.ClientBase): Target {
  const query = async <R extends pg.QueryResultRow>(sql: string, ...values: readonly unknown[]): Promise<R[]> => {
    try {
      return (await client.query<R>(sql, [...values])).rows;
    } catch (error) {
      throw targetFailed(error);
    }
  };
  return {
    query,

    async insert(inserts) {
      for (const [table, rows] of inserts) {
        const columns = Object.keys(rows[0] ?? {}).join(", ");
        const sql = `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`;
        await query(sql, JSON.stringify(rows));
      }
    },

    async *rows({ target, fromTarget }, cipher) {
      await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT * FROM (${target}) AS found (copied)`);
      for (;;) {
        const rows = await query<{ copied: PlainRow }>(`FETCH ${fetchSize} FROM copied`);
        for (const { copied } of rows) yield fromTarget(copied, cipher);
        if (rows.length < fetchSize) break;
      }
      await query("CLOSE copied");
    },

    verify: () =>
      verifyPostgresDatabase(async <Result>(sql: string, ...values: readonly unknown[]) => {
        const [row = {}] = await query<Record<string, Result>>(sql, ...values);
        return Object.values(row)[0] as Result;
      }),
  };
}

export function targetFailed(cause: unknown): DataCopyError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DataCopyError(
    "target_failed",
    `PostgreSQL could not be reached, or rejected a statement: ${why}. Run the same command again.`,
    { cause },
  );
}
