import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSeparateDeadlines, createSharedDeadlines } from "./deadlines.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const call = (afterMs: number) => ({ deadlineAt: performance.now() + afterMs, fail: vi.fn() });

describe.each([
  ["shared", createSharedDeadlines],
  ["separate", createSeparateDeadlines],
])("%s deadlines", (_, create) => {
  it("end a call at its deadline, at most 10 ms late and never early", async () => {
    const deadlines = create();
    const late = call(95);
    const later = call(200);
    deadlines.start(late);
    deadlines.start(later);
    await vi.advanceTimersByTimeAsync(94);
    expect(late.fail).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(11);
    expect(late.fail).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "DEADLINE_EXCEEDED" }));
    expect(later.fail).not.toHaveBeenCalled();
  });

  it("do not end a call that was stopped, and leave no timer", async () => {
    const deadlines = create();
    const stopped = call(20);
    const stop = deadlines.start(stopped);
    stop();
    await vi.advanceTimersByTimeAsync(60);
    expect(stopped.fail).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never end a call whose deadline is Infinity", async () => {
    const deadlines = create();
    const unlimited = call(Number.POSITIVE_INFINITY);
    deadlines.start(unlimited);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(unlimited.fail).not.toHaveBeenCalled();
  });
});
