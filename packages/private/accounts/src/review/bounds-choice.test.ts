import type { Bounds } from "@platform-rpc/server/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BoundsChoice, type BoundsProblems, decideBounds, offerBounds } from "./bounds-choice.js";

const now = Date.UTC(2026, 10, 27, 12);
const [minute, hour, day] = [60_000, 3_600_000, 24 * 3_600_000];
const [reads, deletes, uses, exchanges] = [
  "vault.items:read",
  "vault.items:delete",
  "vault.items:use",
  "identity.device_authorizations:exchange",
];
const both = [reads, deletes];

const at = (time: number) => new Date(time).toISOString().slice(0, 16);
const listed = (count: number, hasMore = false) => {
  const ids = Array.from({ length: count }, (_, index) => `v-${index + 1}`);
  return { vaults: ids.map((vaultId) => ({ vaultId, role: "owner", retentionDays: 30, head: 0 })), hasMore };
};

interface Asked {
  readonly requested?: Bounds | undefined;
  readonly scopes?: readonly string[];
  readonly renewable?: boolean;
  readonly vaults?: ReturnType<typeof listed>;
}
const offer = ({ requested, scopes = both, renewable = true, vaults = listed(2) }: Asked = {}) =>
  offerBounds({ requested, scopes, renewable, listed: vaults, now });
/** Returns what is granted if a person changes something of what is proposed. */
const grant = (asked: Asked, chosen: Partial<BoundsChoice> = {}, scopes = asked.scopes ?? both) => {
  const offered = offer(asked);
  const decided = decideBounds(offered, { ...offered.proposed, ...chosen }, scopes, now);
  return "bounds" in decided ? decided.bounds : expect.unreachable(JSON.stringify(decided.problems));
};
const problemsOf = (asked: Asked, chosen: Partial<BoundsChoice>): BoundsProblems => {
  const offered = offer(asked);
  const decided = decideBounds(offered, { ...offered.proposed, ...chosen }, asked.scopes ?? both, now);
  return "problems" in decided ? decided.problems : {};
};

const proposal = { vaults: ["v-1", "v-2"], maxDeletions: 25, expiresAt: now + 7 * day };

describe("what is granted: the software asks, and the person chooses", () => {
  it.each<[string, Bounds | undefined, Partial<BoundsChoice>, Bounds]>([
    ["nothing, and accepts the proposal", undefined, {}, {}],
    ["nothing, and allows fewer deletions", undefined, { deletions: "0" }, { maxDeletions: 0 }],
    ["nothing, and allows 30 days", undefined, { until: at(now + 30 * day) }, { expiresAt: now + 30 * day }],
    ["for less deletions, and gets them", { maxDeletions: 5 }, {}, { maxDeletions: 5 }],
    ["for more deletions, which are not proposed", { maxDeletions: 900 }, {}, {}],
    ["for more deletions, and gets them", { maxDeletions: 900 }, { deletions: "900" }, { maxDeletions: 900 }],
    ["for an hour, and gets it", { expiresAt: now + hour }, {}, { expiresAt: now + hour }],
    ["for half a minute, and gets no more", { expiresAt: now + 30_000 }, {}, { expiresAt: now + 30_000 }],
    ["for a year, which is not proposed", { expiresAt: now + 365 * day }, {}, {}],
    ["for one action, and gets it", { actions: ["delete"] }, {}, { actions: ["delete"] }],
  ])("asks %s", (_, requested, chosen, unlikeProposal) => {
    expect(grant({ requested }, chosen)).toEqual({ ...proposal, ...unlikeProposal });
  });

  const hosts = ["a.b"];
  it.each<[string, Bounds | undefined, Partial<BoundsChoice>, Bounds]>([
    ["accepts the proposal", undefined, {}, {}],
    ["gets the less that it asks for", { maxUses: 3, hosts }, {}, { maxUses: 3, hosts }],
    ["the person is asked each time", undefined, { asksEachTime: true }, { asksEachTime: true }],
    ["the person names hosts", undefined, { hosts: " B.c:8443\n\na.b b.c:8443" }, { hosts: ["b.c:8443", "a.b"] }],
    ["the person clears its hosts, which allows no others", { hosts }, { hosts: "" }, { hosts }],
    ["asks for other actions, and uses nothing", { actions: ["read"] }, {}, { actions: ["read"], maxUses: undefined }],
  ])("asks to use secrets, and %s", (_, requested, chosen, unlikeProposal) => {
    const { vaults, expiresAt } = proposal;
    const granted = { vaults, expiresAt, maxUses: 25, ...unlikeProposal };
    expect(grant({ requested, scopes: [uses] }, chosen)).toEqual(granted);
  });

  it.each<[Bounds | undefined, number]>([
    [undefined, 15 * minute],
    [{ expiresAt: now + minute }, minute],
    [{ expiresAt: now + day }, 15 * minute],
  ])("ends with tokens that cannot be renewed: %o", (requested, life) => {
    expect(grant({ requested, renewable: false }, { until: at(now + 7 * day) }).expiresAt).toBe(now + life);
  });

  it("never exceeds what the software asks for, what the person chooses, and 30 days", () => {
    const requests = fc.record(
      { maxDeletions: fc.nat(100), expiresAt: fc.integer({ min: now + 1, max: now + 60 * day }) },
      { requiredKeys: [] },
    );
    const choices = fc.record({
      vaults: fc.subarray(["v-1", "v-2", "v-3"]),
      deletions: fc.nat(150).map(String),
      uses: fc.constant(""),
      hosts: fc.constant(""),
      asksEachTime: fc.boolean(),
      until: fc.integer({ min: now - hour, max: now + 40 * day }).map(at),
    });
    fc.assert(
      fc.property(requests, choices, (requested, choice) => {
        const decided = decideBounds(offer({ requested }), choice, both, now);
        if ("problems" in decided) return;
        const { vaults, maxDeletions = 999, expiresAt = Number.POSITIVE_INFINITY } = decided.bounds;
        expect(vaults).toEqual(choice.vaults);
        expect(vaults).not.toContain("v-3");
        expect(maxDeletions).toBeLessThanOrEqual(Math.min(Number(choice.deletions), requested.maxDeletions ?? 999));
        const latest = Math.min(Date.parse(`${choice.until}Z`), now + 30 * day, requested.expiresAt ?? now + 60 * day);
        expect(expiresAt).toBeLessThanOrEqual(latest);
        expect(expiresAt).toBeGreaterThan(now);
      }),
    );
  });
});

describe("what is proposed", () => {
  it("contains no number of deletions for software that cannot delete", () => {
    expect(offer({ scopes: [reads] })).toMatchObject({ mostDeletions: undefined, proposed: { deletions: "" } });
    expect(offer({ requested: { actions: ["read"] } }).mostDeletions).toBeUndefined();
    expect(grant({ scopes: [reads] })).not.toHaveProperty("maxDeletions");
    expect(grant({ requested: { actions: ["read"], maxDeletions: 3 } })).toMatchObject({ maxDeletions: 3 });
  });

  it("does not need a number if the person does not allow deletions", () => {
    expect(grant({}, { deletions: "?" }, [reads])).not.toHaveProperty("maxDeletions");
  });

  it("contains no vaults for software without access to vaults", () => {
    expect(offer({ scopes: [exchanges] }).vaults).toBeUndefined();
    expect(grant({ scopes: [exchanges] })).toEqual({ expiresAt: proposal.expiresAt });
  });

  it("contains every vault of a person with 20, and no vault of a person with more, because nobody can guess which 20 they mean", () => {
    expect(offer({ vaults: listed(20) }).proposed.vaults).toHaveLength(20);
    expect(offer({ vaults: listed(21) }).proposed.vaults).toEqual([]);
    expect(offer({ vaults: listed(20, true) }).proposed.vaults).toEqual([]);
  });
});

describe("a choice that is not accepted", () => {
  const deletions = "Enter a whole number from 0 to 4294967295.";
  const hosts = "Enter hosts such as api.example.com or example.com:8443, each on a line.";
  const until = "Enter a date and a time, such as 2030-12-31T18:00.";
  const many = listed(21);
  const manyVaults = many.vaults.map(({ vaultId }) => vaultId);
  const manyHosts = Array.from({ length: 21 }, (_, index) => `h${index}`).join(" ");
  const threeDeletions = { requested: { maxDeletions: 3 } };
  const using = (requested?: Bounds) => ({ requested, scopes: [uses] });
  it.each<[string, Asked, Partial<BoundsChoice>, string]>([
    ["no vault", {}, { vaults: [] }, "Choose at least one vault, or choose Deny."],
    ["a vault of somebody else", {}, { vaults: ["v-1", "v-9"] }, "Choose only vaults that are listed here."],
    ["21 vaults", { vaults: many }, { vaults: manyVaults }, "Choose at most 20 vaults."],
    ["no number", {}, { deletions: "" }, deletions],
    ["a number below 0", {}, { deletions: "-1" }, deletions],
    ["another notation of a number", {}, { deletions: "1e3" }, deletions],
    ["more deletions than can be counted", {}, { deletions: "4294967296" }, deletions],
    ["more deletions than asked for", threeDeletions, { deletions: "4" }, "Enter a whole number from 0 to 3."],
    ["more uses than asked for", using({ maxUses: 3 }), { uses: "4" }, "Enter a whole number from 0 to 3."],
    ["another host", using({ hosts: ["a.b"] }), { hosts: "c.d" }, "Enter only hosts that the software asks for."],
    ["no host", using(), { hosts: "https://a.b" }, hosts],
    ["21 hosts", using(), { hosts: manyHosts }, "Enter at most 20 hosts."],
    ["a time that does not exist", {}, { until: "2026-13-01T00:00" }, until],
    ["now", {}, { until: at(now) }, "Enter a time in the future."],
    ["more than 30 days", {}, { until: at(now + 30 * day + minute) }, "Enter a time until 2026-12-27 12:00 UTC."],
  ])("%s", (_, asked, chosen, problem) => {
    const none = { vaults: undefined, deletions: undefined, uses: undefined, hosts: undefined, until: undefined };
    const [field = ""] = Object.keys(chosen);
    expect(problemsOf(asked, chosen)).toEqual({ ...none, [field]: problem });
  });
});
