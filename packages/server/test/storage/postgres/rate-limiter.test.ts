import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/ports/storage.js";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { openStorage, openStorages } from "./testing/open-storages.js";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Opens the limiters of several processes of one database. */
async function openLimiters(count: number) {
  const { url, storages } = await openStorages(count);
  return { url, limiters: storages.map(({ rateLimiter }) => rateLimiter) };
}

describe("DECISIONS section 7: the rates of several processes", () => {
  it("a lone process gets its whole burst at once, and then its rate", async () => {
    const { limiters } = await openLimiters(1);
    const [limiter] = limiters;
    const rate = { perMinute: 600, burst: 100 };
    const waits = await Promise.all(numbers(150).map(() => limiter?.take("a", rate)));
    expect(waits.filter((wait) => wait === 0).length).toBeGreaterThanOrEqual(100);
    const startedAt = performance.now();
    let admitted = 0;
    while (performance.now() - startedAt < 3000) {
      const wait = await limiter?.take("a", rate);
      if (wait === 0) admitted += 1;
      else await sleep(wait);
    }
    const allowed = (performance.now() - startedAt) / 100;
    expect(admitted).toBeGreaterThan(allowed * 0.5);
    expect(admitted).toBeLessThanOrEqual(allowed * 1.1 + 1);
  });

  it("most calls need only memory: they are answered without a promise", async () => {
    const { limiters } = await openLimiters(1);
    let sync = 0;
    for (const _ of numbers(200)) {
      const taken = limiters[0]?.take("a", { perMinute: 60_000, burst: 1000 });
      if (taken instanceof Promise) await taken;
      else sync += 1;
      await sleep(1);
    }
    expect(sync).toBeGreaterThan(150);
  });

  it("processes together admit at most 1.1 times a rate, however the calls are distributed", async () => {
    const { limiters } = await openLimiters(4);
    let run = 0;
    const rounds = fc.array(
      fc.record({ pauseMs: fc.nat(150), calls: fc.array(fc.nat(40), { minLength: 4, maxLength: 4 }) }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(rounds, async (steps) => {
        run += 1;
        const rate = { perMinute: 1200, burst: 50 };
        const startedAt = performance.now();
        let admitted = 0;
        for (const { pauseMs, calls } of steps) {
          const waits = await Promise.all(
            limiters.flatMap((limiter, index) =>
              numbers(calls[index] ?? 0).map(() => limiter.take(`key-${run}`, rate)),
            ),
          );
          admitted += waits.filter((wait) => wait === 0).length;
          await sleep(pauseMs);
        }
        const limit = rate.burst + ((performance.now() - startedAt) * rate.perMinute) / 60_000;
        expect(admitted).toBeLessThanOrEqual(1.1 * limit);
        const asked = steps.flatMap(({ calls }) => calls).reduce((sum, calls) => sum + calls, 0);
        expect(admitted).toBeGreaterThanOrEqual(Math.min(asked, rate.burst * 0.9));
      }),
      { numRuns: 15 },
    );
  });

  it("a process that takes calls ahead and ends loses them for a few seconds only", async () => {
    const { url, limiters } = await openLimiters(1);
    const other = await openStorage({ url });
    const rate = { perMinute: 1, burst: 100 };
    await Promise.all(numbers(20).map(() => other.rateLimiter.take("a", rate)));
    await other.close();
    await runSql(url, "UPDATE rate_buckets SET leased_at = leased_at - 5001");
    const waits = await Promise.all(numbers(100).map(() => limiters[0]?.take("a", rate)));
    expect(waits.filter((wait) => wait === 0).length).toBe(70);
    expect(await runSql(url, "SELECT leased FROM rate_buckets")).toEqual([{ leased: 0 }]);
  });

  it("a process that does not use the calls that it has taken ahead returns them", async () => {
    const { url, limiters } = await openLimiters(1);
    await Promise.all(numbers(5).map(() => limiters[0]?.take("a", { perMinute: 0.001, burst: 100 })));
    expect(await runSql(url, "SELECT round(calls) AS calls, leased FROM rate_buckets")).toEqual([
      { calls: 90, leased: 5 },
    ]);
    await expect
      .poll(() => runSql(url, "SELECT round(calls) AS calls, leased FROM rate_buckets"))
      .toEqual([{ calls: 95, leased: 0 }]);
  });

  it("removes full buckets", async () => {
    const { url, limiters } = await openLimiters(1);
    for (const key of ["a", "b"]) await limiters[0]?.take(key, { perMinute: 60, burst: 10 });
    await runSql(url, "UPDATE rate_buckets SET full_at = 1 WHERE key = (SELECT min(key) FROM rate_buckets)");
    expect(await runSql(url, "SELECT platform_drop_full_buckets() AS dropped")).toEqual([{ dropped: 1 }]);
  });

  it("admits no unknown caller while the database cannot be asked", async () => {
    const { storages } = await openStorages(1);
    await storages[0]?.close();
    await expect(storages[0]?.rateLimiter.take("a", { perMinute: 60, burst: 10 })).rejects.toThrow(StorageError);
  });

  it("never deadlocks, however the keys of the processes overlap", async () => {
    const { url, limiters } = await openLimiters(4);
    const keys = numbers(50).map((index) => `key-${index}`);
    const rate = { perMinute: 6000, burst: 1000 };
    for (const round of numbers(10)) {
      const order = round % 2 === 0 ? keys : keys.toReversed();
      await Promise.all(limiters.flatMap((limiter) => order.map((key) => limiter.take(key, rate))));
    }
    const deadlocks = "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()";
    expect(await runSql(url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });
});
