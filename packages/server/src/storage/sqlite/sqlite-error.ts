import { StorageError } from "../../ports/storage.js";

/** An error of SQLite itself: a full disk, a file that cannot be read. */
export interface SqliteError extends Error {
  /** SQLite's extended result code. */
  readonly errcode: number;
}

/** A row is not as this program writes it: its bytes have changed on the disk. */
export class DamagedRowError extends Error {
  override readonly name = "DamagedRowError";
}

const codes = { busy: 5, corrupt: 11, full: 13, notADatabase: 26 } as const;

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

/** Whether SQLite failed for one of these reasons. */
export function failedAs(error: unknown, ...reasons: readonly (keyof typeof codes)[]): error is SqliteError {
  return isSqliteError(error) && reasons.some((reason) => codes[reason] === (error.errcode & 0xff));
}

/** Whether an error shows that the database file is damaged. */
export function showsDamage(error: unknown): boolean {
  return error instanceof DamagedRowError || failedAs(error, "corrupt", "notADatabase");
}

/**
 * What a failure is to the caller. Those of SQLite and of the disk become a `StorageError`; any other is a fault of this
 * program, and must not look like one of the disk.
 */
export function storageErrorFrom(error: unknown): unknown {
  if (showsDamage(error)) return new StorageError("damaged", { cause: error });
  if (failedAs(error, "full")) return new StorageError("full", { cause: error });
  return isSqliteError(error) ? new StorageError("unavailable", { cause: error }) : error;
}
