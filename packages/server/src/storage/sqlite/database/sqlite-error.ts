import { StorageError } from "../../../ports/storage.js";

export interface SqliteError extends Error {
  /** SQLite's extended result code. */
  readonly errcode: number;
}

/** Thrown when a row differs from what this program writes, because its bytes have changed on disk. */
export class DamagedRowError extends Error {
  override readonly name = "DamagedRowError";

  constructor(
    message: string,
    /** The table and the key of the row: ids, and never contents. */
    readonly row?: string,
  ) {
    super(message);
  }
}

const codes = { busy: 5, io: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

export function failedAs(error: unknown, ...reasons: readonly (keyof typeof codes)[]): error is SqliteError {
  return isSqliteError(error) && reasons.some((reason) => codes[reason] === (error.errcode & 0xff));
}

/** Returns whether an error means that the database file is damaged. */
export function showsDamage(error: unknown): boolean {
  return error instanceof DamagedRowError || isUnsafeInteger(error) || failedAs(error, "corrupt", "notADatabase");
}

/** Returns whether the disk failed, for SQLite or for a flush of this program: perhaps not every time. */
export function isDiskError(error: unknown): boolean {
  return failedAs(error, "io") || (error instanceof Error && "syscall" in error);
}

/** Returns whether a column contains an integer that is not safe in JavaScript: none is stored. */
function isUnsafeInteger(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

/**
 * Converts an error for the caller. Errors of SQLite and damaged rows become a `StorageError`. Any other error is returned
 * unchanged: it is a `StorageError` already, or a bug in this program.
 */
export function storageErrorFrom(error: unknown): unknown {
  const damagedRow = error instanceof DamagedRowError ? error.row : undefined;
  if (showsDamage(error)) return new StorageError("damaged", { cause: error, damagedRow });
  if (failedAs(error, "full")) return new StorageError("full", { cause: error });
  return isSqliteError(error) ? new StorageError("unavailable", { cause: error }) : error;
}
