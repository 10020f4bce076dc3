import { describe, expect, it } from "vitest";
import { sealedItem, storedItem } from "../testing/stored-item.js";
import type { Item, ItemContent } from "./item.js";
import { decidePutItem } from "./put-item.js";

const now = 1_700_000_000_000;
const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const actor = {
  ...ref,
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "put",
  requestId: "r-1",
};

const content: ItemContent = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};
const live: Item = {
  ...ref,
  ...content,
  version: 3,
  updatedAt: now - 1000,
  state: "live",
  shredAt: undefined,
  sequence: 7,
};
const tombstone: Item = { ...live, state: "deleted", shredAt: now + 1 };

const decide = (item: Item | undefined, baseVersion: number, put: ItemContent = content, stored = storedItem) =>
  decidePutItem({ vault, role: undefined, item: item && stored(item), floor: 0 }, ref, put, baseVersion, actor, now);

describe("PutItem, which follows the rules of DeleteItem", () => {
  it("rejects a missing vault with VAULT_NOT_FOUND", () => {
    const given = { vault: undefined, role: undefined, item: undefined, floor: 0 };
    expect(decidePutItem(given, ref, content, 0, actor, now)).toEqual({
      outcome: { ok: false, reason: "VAULT_NOT_FOUND" },
      writes: [],
    });
  });

  it.each([
    { name: "creates at version 1", item: undefined, base: 0, version: 1, event: "created" },
    { name: "replaces at the base version", item: live, base: 3, version: 4, event: "replaced" },
  ])("$name: one change, one audit record", ({ item, base, version, event }) => {
    const written = { ...ref, ...content, version, updatedAt: now, state: "live", shredAt: undefined };
    const { outcome, writes } = decide(item, base);
    expect(outcome).toEqual({ ok: true, item: written });
    expect(writes).toMatchObject([
      { kind: "change", item: { ...ref, version, updatedAt: now, state: "live", shredAt: undefined }, content },
      {
        kind: "audit",
        record: { event, subject: "item:v-1/i-1", versionBefore: base, versionAfter: version, at: now },
      },
    ]);
  });

  it("starts a new item above the floor after a restore, and writes nothing for an exact retry of its creation", () => {
    const create = (item: Item | undefined) =>
      decidePutItem({ vault, role: undefined, item: item && storedItem(item), floor: 9 }, ref, content, 0, actor, now);
    expect(create(undefined).outcome).toMatchObject({ ok: true, item: { version: 10 } });
    expect(create({ ...live, version: 10 })).toMatchObject({ outcome: { ok: true }, writes: [] });
    expect(create({ ...live, version: 1 }).outcome).toMatchObject({ ok: false, reason: "VERSION_CONFLICT" });
  });

  it("rejects replacing a missing item with ITEM_NOT_FOUND", () => {
    expect(decide(undefined, 1)).toEqual({ outcome: { ok: false, reason: "ITEM_NOT_FOUND" }, writes: [] });
  });

  it("returns the same item for an exact retry, and writes nothing", () => {
    expect(decide(live, 2)).toEqual({ outcome: { ok: true, item: live }, writes: [] });
  });

  it.each<[string, ItemContent]>([
    ["kind", { ...content, kind: "card" }],
    ["titleHash", { ...content, titleHash: "" }],
    ["alg", { ...content, encryptedPayload: { ...content.encryptedPayload, alg: "XC20P" } }],
    ["nonce", { ...content, encryptedPayload: { ...content.encryptedPayload, nonce: "" } }],
    ["aad", { ...content, encryptedPayload: { ...content.encryptedPayload, aad: "" } }],
    ["ciphertext", { ...content, encryptedPayload: { ...content.encryptedPayload, ciphertext: "" } }],
    ["payload version", { ...content, encryptedPayload: { ...content.encryptedPayload, version: 2 } }],
    ["a missing wrapped key", { ...content, wrappedKeys: [] }],
    ["an additional wrapped key", { ...content, wrappedKeys: [...content.wrappedKeys, ...content.wrappedKeys] }],
    ["recipient", { ...content, wrappedKeys: [{ recipientId: "u-2", wrapAlg: "A256KW", wrappedKey: "a2V5" }] }],
    ["wrapAlg", { ...content, wrappedKeys: [{ recipientId: "u-1", wrapAlg: "RSA-OAEP-256", wrappedKey: "a2V5" }] }],
    ["wrapped key", { ...content, wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "" }] }],
  ])("rejects a retry that differs in %s with VERSION_CONFLICT", (_, put) => {
    expect(decide(live, 2, put).outcome).toMatchObject({ ok: false, reason: "VERSION_CONFLICT" });
  });

  it.each([
    { item: live, base: 0, deleted: false },
    { item: live, base: 1, deleted: false },
    { item: live, base: 4, deleted: false },
    { item: tombstone, base: 2, deleted: true },
    { item: tombstone, base: 3, deleted: true },
    { item: tombstone, base: 0, deleted: true },
  ])("$item.state at version 3, base version $base: VERSION_CONFLICT, deleted $deleted", ({ item, base, deleted }) => {
    expect(decide(item, base, content, sealedItem)).toEqual({
      outcome: {
        ok: false,
        reason: "VERSION_CONFLICT",
        conflict: { itemId: "i-1", baseVersion: base, currentVersion: 3, deleted, vaultId: "v-1", sequence: 7 },
      },
      writes: [],
    });
  });

  it("ignores ids in the content and uses those of the ref", () => {
    const { outcome } = decide(undefined, 0, { ...content, ...{ itemId: "", tenantId: "t-2", vaultId: "v-2" } });
    expect(outcome).toMatchObject({ ok: true, item: ref });
  });
});
