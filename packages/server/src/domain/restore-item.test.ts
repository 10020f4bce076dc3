import { describe, expect, it } from "vitest";
import { sealedItem, storedItem } from "../testing/stored-item.js";
import { type Item, shreddedContent } from "./item.js";
import { decideRestoreItem } from "./restore-item.js";
import { decideShredItem } from "./shred-item.js";

const now = 1_700_000_000_000;
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "restore",
  requestId: "r-1",
};

const tombstone: Item = {
  tenantId: "t-1",
  vaultId: "v-1",
  itemId: "i-1",
  version: 4,
  updatedAt: now - 1000,
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 2 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
  state: "deleted",
  shredAt: now + 1,
  sequence: 8,
};
const live: Item = { ...tombstone, state: "live", shredAt: undefined };
const overdue: Item = { ...tombstone, shredAt: now };
const shredded = (item: Item): Item => ({
  ...item,
  ...shreddedContent(item),
  state: "shredded",
  shredAt: undefined,
});

describe("RestoreItem (INTERNAL)", () => {
  const decide = (item: Item | undefined, baseVersion: number, stored = storedItem) =>
    decideRestoreItem({ vault, role: undefined, item: item && stored(item), floor: 0 }, baseVersion, actor, now);

  it("restores a tombstone with its content: version + 1, one change, one audit record", () => {
    const { sequence: _, ...rest } = tombstone;
    const item = { ...rest, version: 5, updatedAt: now, state: "live", shredAt: undefined };
    const { outcome, writes } = decide(tombstone, 4);
    expect(outcome).toEqual({ ok: true, item });
    expect(writes).toMatchObject([
      { kind: "change", item: { version: 5, updatedAt: now, state: "live", shredAt: undefined } },
      { kind: "audit", record: { event: "restored", versionBefore: 4, versionAfter: 5 } },
    ]);
  });

  it.each([
    { name: "shredded", item: shredded(tombstone), base: 4, reason: "ITEM_SHREDDED" },
    { name: "due to be shredded", item: overdue, base: 4, reason: "ITEM_SHREDDED" },
    { name: "not at the base version", item: tombstone, base: 3, reason: "VERSION_CONFLICT" },
    { name: "shredded, not at the base version", item: shredded(tombstone), base: 3, reason: "VERSION_CONFLICT" },
    { name: "live", item: live, base: 4, reason: "VERSION_CONFLICT" },
    { name: "missing", item: undefined, base: 4, reason: "ITEM_NOT_FOUND" },
  ])("rejects an item that is $name with $reason, and writes nothing", ({ item, base, reason }) => {
    expect(decide(item, base, sealedItem)).toMatchObject({ outcome: { ok: false, reason }, writes: [] });
  });

  it("rejects a missing vault with VAULT_NOT_FOUND", () => {
    const given = { vault: undefined, role: undefined, item: undefined, floor: 0 };
    expect(decideRestoreItem(given, 4, actor, now).outcome).toEqual({ ok: false, reason: "VAULT_NOT_FOUND" });
  });
});

describe("shredding (DECISIONS section 3)", () => {
  const decide = (item: Item | undefined) =>
    decideShredItem({ vault, role: undefined, item: item && sealedItem(item), floor: 0 }, actor, now);

  it("empties nonce, aad, ciphertext, titleHash and wrappedKeys", () => {
    expect(shredded(overdue)).toEqual({
      ...overdue,
      titleHash: "",
      encryptedPayload: { alg: "A256GCM", nonce: "", aad: "", ciphertext: "", version: 2 },
      wrappedKeys: [],
      state: "shredded",
      shredAt: undefined,
    });
  });

  it("changes neither version nor updatedAt, and does not load the content", () => {
    const { outcome, writes } = decide(overdue);
    const { tenantId, vaultId, itemId, version, updatedAt } = overdue;
    expect(outcome).toBe(true);
    expect(writes).toEqual([
      {
        kind: "shred",
        item: { tenantId, vaultId, itemId, version, updatedAt, state: "shredded", shredAt: undefined },
      },
      {
        kind: "audit",
        record: expect.objectContaining({ event: "shredded", versionBefore: 4, versionAfter: 4, at: now }),
      },
    ]);
  });

  it.each([
    { name: "live", item: live },
    { name: "a tombstone within its retention", item: tombstone },
    { name: "already shredded", item: shredded(overdue) },
    { name: "missing", item: undefined },
  ])("does not shred an item that is $name", ({ item }) => {
    expect(decide(item)).toEqual({ outcome: false, writes: [] });
  });
});
