import { describe, expect, it } from "vitest";
import { sealedItem } from "../testing/stored-item.js";
import { type Item, shreddedContent } from "./item.js";
import { decideShredItem } from "./shred-item.js";

const now = 1_700_000_000_000;
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "shred",
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
