/** Thrown when a backup was not restored. The data directory is unchanged. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";

  constructor(
    /**
     * - `no_backup`: the file does not exist, or is not a backup of a platform.
     * - `damaged`: the backup fails its integrity check.
     * - `in_use`: the platform uses the restored database on PostgreSQL.
     * - `exhausted`: a vault would have too few sequences left in the new epoch.
     */
    readonly reason: "no_backup" | "damaged" | "in_use" | "exhausted",
    /** What happened, where, and what to do. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
