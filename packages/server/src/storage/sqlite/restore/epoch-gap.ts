import { randomInt } from "node:crypto";

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
