import { StorageFailure } from "../../ports/storage.js";

/** An error of SQLite itself: a full disk, a file that cannot be read. */
export interface SqliteError extends Error {
  /** SQLite's extended result code. */
  readonly errcode: number;
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

/**
 * What a failure is to whoever called: SQLite's own become "unavailable", which may be tried again; any other is a fault of
 * this program, and must not look like one of the disk.
 */
export function failureFrom(error: unknown): unknown {
  return isSqliteError(error) ? new StorageFailure("unavailable", { cause: error }) : error;
}
