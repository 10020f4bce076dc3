import { describe, expect, it } from "vitest";
import { distanceInWords, timeInWords } from "./words.js";

const now = Date.UTC(2026, 10, 22, 13, 50, 30);

describe("times on pages", () => {
  it("are in words and in UTC, so that the page is the same for everybody", () => {
    expect(timeInWords(now)).toBe("22 November 2026 at 13:50 UTC");
  });

  it.each([
    [0, "now"],
    [-1_000, "1 second ago"],
    [-59_000, "59 seconds ago"],
    [-119_000, "1 minute ago"],
    [-120_000, "2 minutes ago"],
    [480_000, "in 8 minutes"],
  ])("are %d ms away: %s", (distance, words) => {
    expect(distanceInWords(now + distance, now)).toBe(words);
  });
});
