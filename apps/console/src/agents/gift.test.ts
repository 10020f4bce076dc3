import { describe, expect, it } from "vitest";
import type { Bounds } from "./agents.js";
import { boundsAfter, emptyGift, type Gift, localTime } from "./gift.js";

const now = Date.UTC(2026, 10, 24, 12);
const after = (days: number, ms = 0) => new Date(now + days * 86_400_000 + ms).toISOString();
const latestEndsAt = after(30);
/** Seconds, which the field does not show, stay unless the time is changed. */
const bounds: Bounds = { vaults: ["v-1"], actions: ["delete"], maxDeletions: 10, expiresAt: after(3, 12_345) };
const give = (changes: Partial<Gift>, given = bounds) =>
  boundsAfter({ ...emptyGift(given), ...changes }, { bounds: given, latestEndsAt }, now);

describe("a gift", () => {
  it.each<[Partial<Gift>, Partial<Bounds>]>([
    [{ deletions: "15" }, { maxDeletions: 25 }],
    [{ deletions: " 4294967285 " }, { maxDeletions: 4_294_967_295 }],
    [{ vaults: ["v-2", "v-1"] }, { vaults: ["v-2", "v-1"] }],
    [{ end: localTime(after(5)) }, { expiresAt: after(5) }],
    [{ end: localTime(after(30)) }, { expiresAt: after(30) }],
  ])("of %j changes %j, and nothing else", (changes, expected) => {
    expect(give(changes)).toEqual({ bounds: { ...bounds, ...expected } });
  });

  it("adds no limit that does not exist", () => {
    const given: Bounds = { maxDeletions: 1 };
    const changes = { deletions: "2", vaults: ["v-1"], end: localTime(after(1)) };
    expect(give(changes, given)).toEqual({ bounds: { maxDeletions: 3 } });
    expect(give({ ...changes, deletions: "x" }, { vaults: ["v-2"] })).toEqual({ bounds: { vaults: ["v-1"] } });
  });

  it.each<[Partial<Gift>, object]>([
    [{}, { form: "You have not changed anything yet." }],
    [{ deletions: "0" }, { form: "You have not changed anything yet." }],
    [{ deletions: "-1" }, { deletions: "Enter a whole number from 0 to 4294967285." }],
    [{ deletions: "1.5" }, { deletions: "Enter a whole number from 0 to 4294967285." }],
    [{ deletions: "4294967286" }, { deletions: "Enter a whole number from 0 to 4294967285." }],
    [{ vaults: [] }, { vaults: "Choose at least one vault. To allow nothing, end its access." }],
    [{ vaults: Array.from({ length: 21 }, (_, n) => `v-${n}`) }, { vaults: "Choose at most 20 vaults." }],
    [{ end: "" }, { end: "Enter a date and a time." }],
    [{ end: localTime(after(0)) }, { end: "Choose a time in the future." }],
    [
      { end: localTime(after(31)) },
      { end: expect.stringMatching(/^Choose a time up to Dec 24, 2026, .*ask you again/) },
    ],
    [
      { deletions: "many", vaults: [], end: "" },
      { deletions: expect.anything(), vaults: expect.anything(), end: expect.anything() },
    ],
  ])("rejects %j, and shows the error at its field", (changes, errors) => {
    expect(give(changes)).toEqual({ errors });
  });

  it("keeps an end after that of tokens that cannot be renewed", () => {
    const given = { ...bounds, expiresAt: after(40) };
    expect(give({ deletions: "5" }, given)).toEqual({ bounds: { ...given, maxDeletions: 15 } });
  });

  it("needs a new end if the time is over", () => {
    const over = { ...bounds, expiresAt: after(-1) };
    expect(give({ deletions: "5" }, over)).toEqual({ errors: { end: "Choose a time in the future." } });
  });
});
