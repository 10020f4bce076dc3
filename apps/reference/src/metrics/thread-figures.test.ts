import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLookupRecorder, readThreads, recordThread, threadPlaces } from "./thread-figures.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("the figures of threads are summed: lookups, gauges, and the lag of each event loop", async () => {
  const threads = [new Float64Array(threadPlaces), new Float64Array(threadPlaces)];
  const ends = threads.map((numbers, index) => {
    const record = createLookupRecorder(numbers);
    record("hit");
    if (index === 1) record("miss");
    return recordThread(numbers, () => ({ connections: 10 + index, callsInFlight: 1, queuedCalls: 2 }));
  });
  await vi.advanceTimersByTimeAsync(1_000);
  for (const end of ends) end();
  await vi.advanceTimersByTimeAsync(1_000);
  const { lookups, lag, ...gauges } = readThreads(threads);
  expect(gauges).toEqual({ connections: 21, callsInFlight: 2, queuedCalls: 4 });
  expect(lookups).toEqual([
    { result: "hit", count: 2 },
    { result: "joined", count: 0 },
    { result: "miss", count: 1 },
  ]);
  expect(lag.counts.reduce((sum, count) => sum + count)).toBe(10);
});
