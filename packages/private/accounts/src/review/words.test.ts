import { describe, expect, it } from "vitest";
import { describeScope, distanceInWords, inReadingOrder, timeInWords } from "./words.js";

const now = Date.UTC(2026, 10, 22, 13, 50, 30);

describe("scopes on pages", () => {
  it("are in the order in which people read them, those without words last", () => {
    const scopes = ["other:scope", "vault.items:delete", "vault.items:read", "another:scope"];
    expect(inReadingOrder(scopes)).toEqual(["vault.items:read", "vault.items:delete", "other:scope", "another:scope"]);
  });

  it("have their name only if the page has no words for them", () => {
    expect(describeScope("vault.items:delete")).toEqual({
      title: "Delete items",
      more: "You can restore them while their vault keeps them.",
    });
    expect(describeScope("other:scope").more).toContain("“other:scope”");
  });
});

describe("times on pages", () => {
  it("are in words and in UTC, so that the page is the same for everybody", () => {
    expect(timeInWords(now)).toBe("22 November 2026 at 13:50 UTC");
  });

  it.each([
    [0, "now"],
    [-1_000, "1 second ago"],
    [-120_000, "2 minutes ago"],
    [480_000, "in 8 minutes"],
  ])("are %d ms away: %s", (distance, words) => {
    expect(distanceInWords(now + distance, now)).toBe(words);
  });
});
