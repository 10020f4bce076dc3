/** Why a backup was not restored. The data directory is as it was. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";

  constructor(
    /**
     * - `no_backup`: the file does not exist, or is no backup of a platform.
     * - `damaged`: the backup does not pass its integrity check.
     * - `exhausted`: a vault would have too few sequences left in the new epoch.
     */
    readonly reason: "no_backup" | "damaged" | "exhausted",
    /** What happened, where, and what to do. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
