import { StorageError } from "../../../ports/storage.js";

/** An error that the server reported, with its SQLSTATE. */
interface ServerError extends Error {
  readonly code: string;
  readonly severity: string;
  /** The table and the key of a damaged row: see `platform_damaged`. */
  readonly table?: string | undefined;
  readonly detail?: string | undefined;
}

/** What an error of the driver means for a statement. */
export type Failure =
  /** The statement had no effect, and may succeed when it is sent again: now, or on another connection. */
  | "again"
  /** The statement had no effect. */
  | "rejected"
  /** It is unknown whether the statement had an effect, because the connection ended. */
  | "unknown";

/** Only errors of the server have a severity. The code alone does not tell: EPIPE looks like an SQLSTATE. */
function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
}

/**
 * The SQLSTATEs of errors that the same statement avoids when it is sent again.
 *
 * The timeouts of locks and statements are not among them: another try waits just as long, and blocks the rest of its batch.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const temporary = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "57P03", // cannot_connect_now: starting up, or a standby
  "53300", // too_many_connections
  "25006", // read_only_sql_transaction: a standby, after a switchover
]);

/** Returns what the error of a statement means. `sent` is false while nothing was sent: then nothing happened. */
export function failureOf(error: unknown, sent: boolean): Failure {
  if (!isServerError(error)) return sent ? "unknown" : "again";
  if (temporary.has(error.code)) return "again";
  // Refused credentials, or no such database.
  if (/^(?:28|3D)/.test(error.code)) return "rejected";
  // Class 08 and 57P01 to 57P05: the server ended the connection, perhaps while it waited for a standby after the commit.
  if (error.code.startsWith("08") || error.code.startsWith("57P") || error.severity === "FATAL") {
    return sent ? "unknown" : "again";
  }
  return "rejected";
}

/** Returns whether a row with the same key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return isServerError(error) && error.code === "23505";
}

export function isDiskFull(error: unknown): boolean {
  return isServerError(error) && error.code === "53100";
}

/** Returns whether the disk of the server is full, or fails (class 58). */
export function isDiskError(error: unknown): boolean {
  return isDiskFull(error) || (isServerError(error) && error.code.startsWith("58"));
}

/** Returns whether the role may not do what the statement does. */
export function isRefused(error: unknown): boolean {
  return isServerError(error) && error.code === "42501";
}

/** The SQLSTATEs with which a cell refuses a tenant: see `schema/tenants.ts`. */
const refusals: ReadonlyMap<string, "not_served" | "paused"> = new Map([
  ["PT001", "not_served"],
  ["PT002", "paused"],
]);

/**
 * Returns whether one of the calls of a batch is the cause of an error: its keys cannot be sent to the server, because PostgreSQL stores no
 * NUL character and no half of a surrogate pair, a row that it reads is damaged, or the cell does not serve its tenant.
 */
export function blamesOne(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageError && error.refusesTenant) return true;
  const { cause } = error;
  return (isServerError(cause) && (cause.code.startsWith("22") || refusals.has(cause.code))) || isDamage(error);
}

export function isDamage(error: unknown): error is StorageError {
  return error instanceof StorageError && error.reason === "damaged";
}

/** Returns whether an error means that the connection is of no use any more. */
export function endsConnection(error: unknown): boolean {
  return !isServerError(error) || /^(?:08|57P|25006|53300)/.test(error.code) || error.severity === "FATAL";
}

export function storageErrorFrom(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (isDiskFull(error)) return new StorageError("full", { cause: error });
  const code = isServerError(error) ? error.code : "";
  const refusal = refusals.get(code);
  // It has no cause: nothing has failed that a log should explain.
  if (refusal !== undefined) return new StorageError(refusal);
  // XX001 is data_corrupted, XX002 index_corrupted.
  if (code === "XX001" || code === "XX002") {
    const damagedRow = isServerError(error) && error.table !== undefined ? `${error.table} ${error.detail}` : undefined;
    return new StorageError("damaged", { cause: error, damagedRow });
  }
  return new StorageError("unavailable", { cause: error });
}
