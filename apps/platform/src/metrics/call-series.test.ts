import { describe, expect, it } from "vitest";
import { type CallTotals, createCallSeries, quantile } from "./call-series.js";

const deletion = "platform.v1.VaultService/DeleteItem";
const listChanges = "platform.accounts.v1.MemberVaultService/ListChanges";
const bounds = [0.001, 0.01, 0.1];
const second = 1000;

/** A series whose calls and clock the test sets. */
function setUp(most = 100) {
  const calls = new Map<string, number>();
  const counts = [0, 0, 0, 0];
  let time = 0;
  const totals = (): CallTotals => ({
    calls: [...calls].map(([reason, count]) => ({ operation: deletion, reason, count })),
    durations: [{ operation: deletion, bounds, counts: [...counts] }],
  });
  const series = createCallSeries({ totals, now: () => time, most });
  return {
    series,
    call(reason: string, times: number, bucket = 0) {
      calls.set(reason, (calls.get(reason) ?? 0) + times);
      counts[bucket] = (counts[bucket] ?? 0) + times;
    },
    sample(after = 10 * second) {
      time += after;
      series.sample();
    },
  };
}

describe("a series of calls", () => {
  it("does not contain calls that wait for changes", () => {
    let count = 0;
    const totals = (): CallTotals => ({
      calls: [{ operation: listChanges, reason: "CANCELED", count }],
      durations: [{ operation: listChanges, bounds, counts: [0, 0, 0, count] }],
    });
    let time = 0;
    const series = createCallSeries({ totals, now: () => time, most: 10 });
    count = 5;
    time = 10 * second;
    series.sample();
    expect(series.read(60 * second, 10)).toMatchObject([{ refusals: {}, p50: undefined, p99: undefined }]);
  });

  it("contains rates for each minute, refusals by reason, and latencies of each interval", () => {
    const { series, call, sample } = setUp();
    call("OK", 5);
    call("VERSION_CONFLICT", 1, 2);
    sample();
    sample();
    call("OK", 1, 1);
    sample();
    expect(series.read(60 * second, 10)).toEqual([
      {
        at: 10_000,
        deletions: 30,
        exchanges: 0,
        refusals: { VERSION_CONFLICT: 6 },
        p50: expect.closeTo(0.6),
        p99: expect.closeTo(94.6),
      },
      { at: 20_000, deletions: 0, exchanges: 0, refusals: {}, p50: undefined, p99: undefined },
      { at: 30_000, deletions: 6, exchanges: 0, refusals: {}, p50: expect.closeTo(5.5), p99: expect.closeTo(9.91) },
    ]);
  });

  it("summarizes a long period in at most the wanted number of points", () => {
    const { series, call, sample } = setUp();
    for (let n = 0; n < 90; n += 1) {
      call("OK", 1);
      sample();
    }
    const points = series.read(24 * 60 * 60 * second, 20);
    expect(points).toHaveLength(18);
    expect(new Set(points.map(({ deletions }) => deletions))).toEqual(new Set([6]));
    expect(series.read(60 * second, 20)).toHaveLength(6);
  });

  it("keeps a bounded number of samples", () => {
    const { series, sample } = setUp(3);
    for (let n = 0; n < 9; n += 1) sample();
    expect(series.read(24 * 60 * 60 * second, 100).map(({ at }) => at)).toEqual([70_000, 80_000, 90_000]);
  });

  it("is empty before the first sample", () => {
    expect(setUp().series.read(60 * second, 10)).toEqual([]);
  });
});

describe("a quantile of a histogram", () => {
  it.each([
    [0.5, [0, 0, 0, 0], undefined],
    [0.5, [10, 0, 0, 0], 0.5],
    [0.5, [5, 5, 0, 0], 1],
    [0.99, [0, 100, 0, 0], 9.91],
    [0.99, [0, 0, 0, 7], 100],
  ])("%d of %j is %s ms", (of, counts, expected) => {
    const found = quantile(of, bounds, counts);
    expect(found === undefined ? found : Math.round(found * 100) / 100).toBe(expected);
  });
});
