const minute = 60_000;

/** Where the browser keeps after how many minutes without use it locks, and when a page of this origin was last used. */
const [afterKey, usedKey] = ["platform: lock after", "platform: last used"];

/** After how many minutes without use a browser can lock by itself. */
export const lockChoices = ["1", "5", "15", "60", "never"] as const;

export type LockAfter = (typeof lockChoices)[number];

const defaultAfter: LockAfter = "15";

/** What of the browser's storage is used: that of a page, or a Map in a test. */
export type LockStorage = Pick<Storage, "getItem" | "setItem">;

export function lockAfter(storage: LockStorage): LockAfter {
  const stored = storage.getItem(afterKey);
  return lockChoices.find((choice) => choice === stored) ?? defaultAfter;
}

export function setLockAfter(storage: LockStorage, after: LockAfter): void {
  storage.setItem(afterKey, after);
}

/** How often the time of last use is stored, in milliseconds. */
const storeEveryMs = 5_000;

/** Remembers that a page was used: use of one keeps all of them open. */
export function markUsed(storage: LockStorage, now: number): void {
  if (Math.abs(now - usedAt(storage)) >= storeEveryMs) storage.setItem(usedKey, String(now));
}

/**
 * Returns whether nobody has used a page for as long as the setting allows. It compares times and counts nothing: a laptop that slept
 * locks when it wakes up. A time in the future, as after the clock was set back, does not keep a browser open.
 */
export function isUnused(storage: LockStorage, now: number): boolean {
  const after = lockAfter(storage);
  if (after === "never") return false;
  const unusedMs = now - usedAt(storage);
  return unusedMs >= Number(after) * minute || unusedMs < -minute;
}

/** Returns whether the setting keeps the session of the browser longer than the server does without a request. */
export function keepsSession(storage: LockStorage): boolean {
  return ["60", "never"].includes(lockAfter(storage));
}

/** Returns when a page was last used, in milliseconds since the epoch. 0 if that is not known. */
function usedAt(storage: LockStorage): number {
  const stored = Number(storage.getItem(usedKey));
  return Number.isFinite(stored) ? stored : 0;
}
