import { randomInt } from "node:crypto";

/** The epoch that a restored database begins. */
export interface Epoch {
  /** 1 for the first restore. */
  readonly number: number;
  /** The number of sequences that every vault skips at least. */
  readonly gap: number;
  /** When the newest record of the restored database was written, in milliseconds since the Unix epoch. */
  readonly backupAt: number;
}

/**
 * Thrown when a backup was not restored. The data directory is unchanged.
 *
 * @example
 * ```ts
 * import { RestoreError, restoreSqliteBackup } from "@platform-rpc/server";
 *
 * try {
 *   restoreSqliteBackup({ backup: "missing.backup", path: "platform.sqlite", now: Date.now() });
 * } catch (error) {
 *   console.log(error instanceof RestoreError && error.reason);
 *   // no_backup
 * }
 * ```
 */
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

/** The smallest gap, whatever the age of the backup. A random number up to the same size is added. */
const smallestGap = 2 ** 24;

/** The gap for each second since the backup: a higher rate of changes than a vault sustains. */
const gapPerSecond = 100;

/**
 * Returns how many sequences a new epoch skips in each vault, so that none is assigned twice: the lost history after the
 * backup may have used them.
 *
 * A part is random, so that two independent restores of one backup do not use the same sequences.
 */
export function epochGap(backupAt: number, now: number): number {
  const seconds = Math.max(0, Math.ceil((now - backupAt) / 1000));
  return smallestGap + randomInt(smallestGap) + seconds * gapPerSecond;
}
