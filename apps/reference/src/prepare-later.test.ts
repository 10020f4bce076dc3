import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { prepareLater } from "./prepare-later.js";

const logger = { info: vi.fn(), error: vi.fn() };
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

describe("the preparation of the platform", () => {
  it("begins a second after the start", () => {
    const prepare = vi.fn(async () => {});
    prepareLater({ prepare }, logger);
    vi.advanceTimersByTime(999);
    expect(prepare).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(prepare).toHaveBeenCalledOnce();
  });

  it("logs the error when it fails", async () => {
    prepareLater({ prepare: () => Promise.reject(new TypeError("no such module")) }, logger);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ error: "TypeError" }),
      "request validator not loaded",
    );
  });

  it("does not begin once it is cancelled", () => {
    const prepare = vi.fn(async () => {});
    prepareLater({ prepare }, logger)();
    vi.advanceTimersByTime(10_000);
    expect(prepare).not.toHaveBeenCalled();
  });
});
