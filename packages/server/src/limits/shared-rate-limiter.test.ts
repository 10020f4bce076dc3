import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { bundleOf } from "../storage/sqlite/testing/bundle.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createRateMemory, createSharedRateLimiter } from "./shared-rate-limiter.js";

const rate = { perMinute: 600, burst: 5 };

/** Starts a thread that takes calls of each key, and resolves with the number of calls that it got, by key. */
async function takeInThread(memory: SharedArrayBuffer, keys: readonly string[], times: number): Promise<number[]> {
  const program = bundleOf(new URL("./take-calls-thread.ts", import.meta.url));
  const thread = new Worker(program, { execArgv: [], workerData: { memory, keys, times } });
  const [taken] = await once(thread, "message");
  return taken;
}

describe("a rate limiter that threads share", () => {
  it("allows all threads together what it allows one", async () => {
    const memory = createRateMemory(64);
    const keys = ["a", "b", "c"];
    const taken = await Promise.all([1, 2, 3].map(() => takeInThread(memory, keys, 20_000)));
    const sums = keys.map((_, index) => taken.reduce((sum, counts) => sum + (counts[index] ?? 0), 0));
    expect(sums).toEqual([1000, 1000, 1000]);
  });

  it("replaces the least recently used bucket of a full set, which counts as full again", () => {
    const clock = fakeClock();
    const limiter = createSharedRateLimiter({ clock, memory: createRateMemory(8) });
    const take = (key: string) => limiter.take(key, { perMinute: 1, burst: 1 }) === 0;
    for (const key of ["1", "2", "3", "4", "5", "6", "7", "8"]) {
      expect(take(key)).toBe(true);
      clock.advance(1);
    }
    expect(["2", "1", "8"].map(take)).toEqual([false, false, false]);
    clock.advance(1);
    expect(take("9")).toBe(true);
    expect(["1", "2", "8"].map(take)).toEqual([false, false, false]);
    expect(take("3")).toBe(true);
  });

  it("keeps separate buckets for 5,000 similar keys", () => {
    const limiter = createSharedRateLimiter({ clock: fakeClock(), memory: createRateMemory() });
    const keys = Array.from(
      { length: 5000 },
      (_, n) => `platform.v1.VaultService/DeleteItem 8 tenant-1 principal-${n}`,
    );
    for (const key of keys) {
      for (let call = 0; call < rate.burst; call += 1) expect(limiter.take(key, rate)).toBe(0);
      expect(limiter.take(key, rate)).toBe(100);
    }
  });
});
