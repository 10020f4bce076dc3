import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StorageError } from "../ports/storage.js";
import { createRoom, type Room } from "./room.js";

const mebibyte = 1024 * 1024;
/** 1 MiB, and 256 calls of 64 KiB with 90,000 bytes of earlier contents. */
const enough = mebibyte + 256 * (65_536 + 90_000);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns whether there is room, with each number of free bytes, one after the other. */
function roomWith(...free: readonly number[]): boolean[] {
  let bytes = 0;
  const room = createRoom({ batchLimit: 256, freeBytes: () => bytes });
  return free.map((each) => {
    bytes = each;
    return hasRoom(room);
  });
}

function hasRoom(room: { require(): void }): boolean {
  try {
    room.require();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: "StorageError", reason: "full" });
    return false;
  }
}

describe("the room on a disk whose free bytes are known", () => {
  it("is 1 MiB and one batch, and twice that once there was less", () => {
    const free = [enough, enough - 1, enough, 2 * enough - 1, 2 * enough, enough, enough - 1];
    expect(roomWith(...free)).toEqual([true, false, false, false, true, true, false]);
  });

  it.each([
    ["after a check", (room: Room) => expect(hasRoom(room)).toBe(false)],
    ["before the first check", () => {}],
  ])("is there at once when space was freed, although writes were refused: %s", (_, check) => {
    let bytes = 0;
    const room = createRoom({ batchLimit: 256, freeBytes: () => bytes });
    room.refused(new StorageError("full"));
    check(room);
    bytes = 2 * enough;
    expect(hasRoom(room)).toBe(true);
  });
});

it("a disk that fails a write now and then is reported for 15 s after each, although it has room", () => {
  const room = createRoom({ batchLimit: 256, freeBytes: () => 1000 * enough });
  const failure = new StorageError("unavailable", { cause: new Error("disk I/O error") });
  room.refused(failure);
  vi.advanceTimersByTime(14_999);
  expect(() => room.require()).toThrow(failure);
  vi.advanceTimersByTime(1);
  expect(() => room.require()).not.toThrow();
});

describe("the room on a disk that has a quota, or is another machine's", () => {
  it.each([
    ["free bytes that do not count the quota", () => 1000 * enough],
    ["unknown free bytes", undefined],
  ])("is there after 15 s without a refused write: %s", (_, freeBytes) => {
    const room = createRoom({ batchLimit: 256, freeBytes });
    expect(hasRoom(room)).toBe(true);
    const seen: boolean[] = [];
    for (let second = 0; second < 60; second += 1) {
      // A process that is not ready still gets calls for a while.
      if (second < 20 && second % 3 === 0) room.refused(new StorageError("full"));
      seen.push(hasRoom(room));
      vi.advanceTimersByTime(1000);
    }
    expect(seen.indexOf(true)).toBe(18 + 15);
    expect(seen.lastIndexOf(false)).toBe(18 + 14);
  });
});
