import { DatabaseForeignError, DatabaseTooNewError, DatabaseTooOldError } from "../database/open-errors.js";

/**
 * Thrown when a backup was not made. No file remains, and the database is unchanged.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { resolve } from "node:path";
 * import { BackupError, createSqliteStorage } from "@platform-rpc/server";
 *
 * const storage = createSqliteStorage({ path: "served.sqlite" });
 * writeFileSync("sunday.backup", "another file");
 * const error = await storage.backUp(resolve("sunday.backup")).catch((reason) => reason);
 * console.log(error instanceof BackupError && error.reason);
 * // file_exists
 * await storage.close();
 * ```
 */
export class BackupError extends Error {
  override readonly name = "BackupError";

  constructor(
    /**
     * - `file_exists`: a backup never replaces a file.
     * - `not_writable`: the file cannot be created, or there is not enough disk space for it.
     * - `in_progress`: another backup is being made.
     * - `failed`: the copy was interrupted, or failed its integrity check.
     */
    readonly reason: "file_exists" | "not_writable" | "in_progress" | "failed",
    /** What happened and what to do. Never contains the path. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function fileExists(options?: ErrorOptions): BackupError {
  const message = "The file exists, and a backup never replaces one. Choose another name, or remove the file.";
  return new BackupError("file_exists", message, options);
}

/** File system errors that an operator can fix, by their code. */
const notWritable: Readonly<Record<string, string>> = {
  ENOENT: "The folder does not exist. Create it, or choose another one.",
  ENOTDIR: "The folder is not a folder. Choose another one.",
  EACCES: "The server's user may not write to the folder. Allow it, or choose another folder.",
  EPERM: "The server's user may not write to the folder. Allow it, or choose another folder.",
  EROFS: "The file system is read-only. Choose another folder.",
  ENOSPC: "The file system is full. Make room, or choose another folder.",
  EDQUOT: "The quota of the server's user is used up. Make room, or choose another folder.",
};

/** Converts an error of the file system or of SQLite during a backup. */
export function toBackupError(cause: unknown): BackupError {
  if (cause instanceof BackupError) return cause;
  // A restore would refuse the copy for the same reason.
  if (
    cause instanceof DatabaseForeignError ||
    cause instanceof DatabaseTooNewError ||
    cause instanceof DatabaseTooOldError
  )
    return new BackupError("failed", cause.message, { cause });
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "EEXIST") return fileExists({ cause });
  const message = notWritable[code];
  if (message !== undefined) return new BackupError("not_writable", message, { cause });
  const brokeOff = "The copy broke off. Check that both disks are healthy and have room, then try again.";
  return new BackupError("failed", brokeOff, { cause });
}
