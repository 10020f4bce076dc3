import { must, type OptionRules, ofType, requireOptions } from "@platform-rpc/options";
import { count, databaseUrl, pathTo, time } from "../../option-rules.js";
import { createContentCipher } from "../content-cipher.js";
import { openDatabase } from "../database/database.js";
import { migrate, requireOwner } from "../migrate.js";
import { copyRows } from "./copy-rows.js";
import { DataCopyError } from "./data-copy-error.js";
import { openSource, type Source } from "./source.js";
import { openTarget } from "./target.js";
import { verifyCopy } from "./verify-copy.js";

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
  /** The largest number of rows in one transaction. Default: 1000. */
  readonly batchRows?: number;
  /** Called after each transaction with the number of rows copied so far. */
  readonly onProgress?: (rows: number) => void;
}

export const copyRules: OptionRules<DataCopyOptions> = {
  path: pathTo("the SQLite database file"),
  url: databaseUrl,
  contentKey: must("be a Uint8Array of 32 bytes or more", (value) => value instanceof Uint8Array && value.length >= 32),
  keysId: must("be the id of the keys", (value) => typeof value === "string"),
  now: time,
  batchRows: count,
  onProgress: ofType("function"),
};

/** The result of a copy. */
export interface DataCopy {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** `copied`: by this call. `resumed`: an interrupted copy was finished. `finished`: an earlier call had copied everything. */
  readonly how: "copied" | "resumed" | "finished";
}

/**
 * Copies everything in a SQLite database to an empty PostgreSQL database, and then compares every row. Contents are encrypted
 * with keys derived from the content key.
 *
 * A copy that was interrupted at any point continues with the same call. Until it is finished, `createPostgresStorage` refuses the
 * target. The content of the source is not changed.
 *
 * @throws DataCopyError, DatabaseInUseError, DatabaseTooNewError, DatabaseTooOldError, PostgresSchemaTooNewError,
 *   PostgresSchemaTooOldError.
 */
export async function copySqliteToPostgres(options: DataCopyOptions): Promise<DataCopy> {
  requireOptions("copySqliteToPostgres", options, copyRules);
  using source = openSource(options.path, options.keysId);
  return await copySource(source, options);
}

/** Does the same with a source that is locked already, and stays locked. */
export async function copySource(source: Source, options: Omit<DataCopyOptions, "path" | "keysId">): Promise<DataCopy> {
  const { url, contentKey, now } = options;
  const target = await openTarget(url);
  try {
    await createTables(url);
    const begun = await target.begun();
    if (begun?.finishedAt !== undefined && begun.source === source.fingerprint) {
      return { rows: begun.rows, how: "finished" };
    }
    if (begun !== undefined && begun.source !== source.fingerprint) throw sourceChanged();
    const cipher = createContentCipher(contentKey);
    const progress = await copyRows({ source, target, cipher, begun, ...options });
    await target.settle();
    source.verify();
    const rows = await verifyCopy(source, target, cipher);
    await target.write(new Map(), { ...progress, rows, finishedAt: now });
    return { rows, how: begun === undefined ? "copied" : "resumed" };
  } finally {
    await target.close();
  }
}

async function createTables(url: string): Promise<void> {
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name: "platform migrate-data" });
  try {
    await migrate(database);
    await requireOwner(database);
  } finally {
    await database.close();
  }
}

function sourceChanged(): DataCopyError {
  return new DataCopyError(
    "source_changed",
    "The target contains a copy of another source, or of this source before it was used again. Nothing was changed. " +
      "Create a new database, and copy to that one.",
  );
}
