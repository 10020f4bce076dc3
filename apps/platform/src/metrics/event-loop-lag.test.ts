import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createEventLoopLag } from "./event-loop-lag.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("the lag of the event loop is sampled every 200 ms until the watch ends", async () => {
  const lag = createEventLoopLag();
  const end = lag.watch();
  await vi.advanceTimersByTimeAsync(600);
  expect(lag.read()).toMatchObject({ counts: [3, ...Array(11).fill(0)], sum: 0 });
  // The event loop is blocked for 300 ms, and runs the next timer 100 ms late.
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 300);
  await vi.advanceTimersByTimeAsync(200);
  now.mockRestore();
  end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lag.read().counts).toEqual([3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
  expect(lag.read().sum).toBeCloseTo(0.1);
});
