import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCountdown } from "./countdown.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a countdown ends after its time, without the time in which it is held", () => {
  const ended = vi.fn();
  const countdown = createCountdown(8000, ended);
  countdown.run();
  vi.advanceTimersByTime(5000);
  countdown.hold();
  vi.advanceTimersByTime(60_000);
  countdown.run();
  countdown.run();
  vi.advanceTimersByTime(2999);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledOnce();
});
