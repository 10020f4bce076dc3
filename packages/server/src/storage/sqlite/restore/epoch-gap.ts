import { randomInt } from "node:crypto";

/** Numbers that are skipped whatever the age of the backup. The same again is drawn at random. */
const smallestGap = 2 ** 24;

/** Numbers that are skipped for each second since the backup: more changes than a vault sees for long. */
const gapPerSecond = 100;

/**
 * How many numbers a new epoch skips in each vault, so that none is given out twice: the history after the backup, which is
 * lost, may have used them.
 *
 * A part is random, so that two restores of one backup that know nothing of each other do not use the same numbers either.
 */
export function epochGap(backupAt: number, now: number): number {
  const seconds = Math.max(0, Math.ceil((now - backupAt) / 1000));
  return smallestGap + randomInt(smallestGap) + seconds * gapPerSecond;
}
