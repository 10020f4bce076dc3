import { describe, expect, it } from "vitest";
import { isUnused, keepsSession, type LockAfter, lockAfter, markUsed, setLockAfter } from "./lock-time.js";

const minute = 60_000;
const start = Date.UTC(2026, 10, 27);

function storageWith(after?: string) {
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
  if (after !== undefined) storage.setItem("platform: lock after", after);
  return storage;
}

describe("a browser locks by itself", () => {
  it.each<[stored: string | undefined, minutes: number]>([
    ["1", 1],
    [undefined, 15],
    ["soon", 15],
  ])("with the setting %j after %d minutes without use", (stored, minutes) => {
    const storage = storageWith(stored);
    markUsed(storage, start);
    expect(isUnused(storage, start + minutes * minute - 1)).toBe(false);
    expect(isUnused(storage, start + minutes * minute)).toBe(true);
  });

  it("never, if the person wants that", () => {
    const storage = storageWith();
    setLockAfter(storage, "never");
    expect(isUnused(storage, start + 1000 * minute)).toBe(false);
  });

  it("later if a page is used: also another one, which shares the storage", () => {
    const storage = storageWith("5");
    markUsed(storage, start);
    markUsed(storage, start + 4 * minute);
    expect(isUnused(storage, start + 8 * minute)).toBe(false);
    expect(isUnused(storage, start + 9 * minute)).toBe(true);
  });

  it("if the time of the last use is in the future, because the clock was set back", () => {
    const storage = storageWith("5");
    markUsed(storage, start);
    expect(isUnused(storage, start - minute)).toBe(false);
    expect(isUnused(storage, start - minute - 1)).toBe(true);
    // Unlocked, it stays so.
    markUsed(storage, start - minute - 1);
    expect(isUnused(storage, start - minute - 1)).toBe(false);
  });
});

it.each<[LockAfter, boolean]>([
  ["15", false],
  ["60", true],
  ["never", true],
])("with the setting %s, an unused page keeps the session: %s", (after, keeps) => {
  const storage = storageWith();
  setLockAfter(storage, after);
  expect(lockAfter(storage)).toBe(after);
  expect(keepsSession(storage)).toBe(keeps);
});
