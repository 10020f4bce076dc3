import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { throttle } from "./throttle.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("calls at once, then at most once in each interval, and never loses the last call", () => {
  const call = vi.fn();
  const throttled = throttle(call, 100);
  throttled();
  expect(call).toHaveBeenCalledTimes(1);
  for (let index = 0; index < 5; index += 1) throttled();
  vi.advanceTimersByTime(99);
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(call).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1000);
  expect(call).toHaveBeenCalledTimes(2);
  throttled();
  expect(call).toHaveBeenCalledTimes(3);
});
