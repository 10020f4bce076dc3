import { describe, expect, it } from "vitest";
import type { Bounds } from "./agents.js";
import { boundsWith, type Limits, limitsOf, localTime } from "./limits.js";

const now = Date.UTC(2026, 10, 24, 12);
const after = (days: number, ms = 0) => new Date(now + days * 86_400_000 + ms).toISOString();
/** Seconds, which the field does not show, stay unless the time is changed. */
const bounds: Bounds = { vaults: ["v-1"], actions: ["delete"], maxDeletions: 10, expiresAt: after(3, 12_345) };
const change = (changes: Partial<Limits>, given: Bounds | undefined = bounds, deletions = 4) => {
  const agent = { ...(given && { bounds: given, used: { deletions, uses: 3 } }), latestEndsAt: after(30) };
  return boundsWith({ ...limitsOf(agent), ...changes }, agent, now);
};

describe("the limits of a login", () => {
  it("are shown as they are: the deletions that are left", () => {
    expect(limitsOf({ bounds, used: { deletions: 4, uses: 0 }, latestEndsAt: after(30) })).toEqual({
      deletions: "6",
      uses: "",
      hosts: "",
      asksEachTime: false,
      vaults: ["v-1"],
      end: localTime(after(3)),
    });
  });

  it.each<[Partial<Limits>, Partial<Bounds>]>([
    [{ deletions: "15" }, { maxDeletions: 19 }],
    [{ deletions: "0" }, { maxDeletions: 4 }],
    [{ deletions: " 4294967291 " }, { maxDeletions: 4_294_967_295 }],
    [{ uses: "47" }, { maxUses: 50 }],
    [{ hosts: "https://b.example/x, A.example" }, { hosts: ["a.example", "b.example"] }],
    [{ asksEachTime: true }, { asksEachTime: true }],
    [{ vaults: ["v-2", "v-1"] }, { vaults: ["v-2", "v-1"] }],
    [{ end: localTime(after(30)) }, { expiresAt: after(30) }],
    [{ end: localTime(after(1)) }, { expiresAt: after(1) }],
  ])("%j changes %j, and nothing else", (changes, expected) => {
    expect(change(changes)).toEqual({ bounds: { ...bounds, ...expected } });
  });

  it("can be added to a login that has none, and removed", () => {
    const limits = { deletions: "2", vaults: ["v-1"], end: localTime(after(1)) };
    const added = { maxDeletions: 2, vaults: ["v-1"], expiresAt: after(1) };
    expect(change({ deletions: "2" }, {}, 0)).toEqual({ bounds: { maxDeletions: 2 } });
    expect(change(limits, {}, 0)).toEqual({ bounds: added });
    expect(change({ deletions: "", vaults: undefined, end: "" }, added, 0)).toEqual({ bounds: {} });
  });

  it.each<[Partial<Limits>, object]>([
    [{}, { form: "You have not changed anything yet." }],
    [{ deletions: "-1" }, { deletions: "Enter a whole number from 0 to 4294967291, or nothing." }],
    [{ deletions: "4294967292" }, { deletions: "Enter a whole number from 0 to 4294967291, or nothing." }],
    [{ uses: "many" }, { uses: "Enter a whole number from 0 to 4294967292, or nothing." }],
    [{ hosts: "*.example" }, { hosts: "Enter each website as a host, such as api.github.com." }],
    [{ hosts: "user@a.example" }, { hosts: "Enter each website as a host, such as api.github.com." }],
    [{ vaults: [] }, { vaults: "Choose at least one vault. To allow nothing, remove its access." }],
    [{ vaults: Array.from({ length: 21 }, (_, n) => `v-${n}`) }, { vaults: "Choose at most 20 vaults." }],
    [{ end: "2026" }, { end: "Choose a time in the future." }],
    [{ end: "soon" }, { end: "Enter a date and a time." }],
    [{ end: localTime(after(0)) }, { end: "Choose a time in the future." }],
    [
      { end: localTime(after(31)) },
      { end: expect.stringMatching(/^Choose a time up to Dec 24, 2026, .*ask you again/) },
    ],
  ])("rejects %j, and shows the error at its field", (changes, errors) => {
    expect(change(changes)).toEqual({ errors });
  });

  it("keeps an end after that of tokens that cannot be renewed", () => {
    const given = { ...bounds, expiresAt: after(40) };
    expect(change({ deletions: "5" }, given)).toEqual({ bounds: { ...given, maxDeletions: 9 } });
  });

  it("needs a new end if the time is over", () => {
    const over = { ...bounds, expiresAt: after(-1) };
    expect(change({ deletions: "5" }, over)).toEqual({ errors: { end: "Choose a time in the future." } });
  });
});
