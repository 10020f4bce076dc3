import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sealedItem, storedItem } from "../testing/stored-item.js";
import type { Item } from "./item.js";
import { decideGetItemAsMember, decidePutItemAsMember, decideRestoreItemAsMember } from "./member-items.js";
import type { ItemSnapshot } from "./vault.js";

const now = 1_700_000_000_000;
const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "platform.accounts.v1.MemberVaultService/GetItem",
  requestId: "r-1",
};
const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 2 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};
const live: Item = { ...ref, ...content, version: 4, updatedAt: 0, state: "live", shredAt: undefined, sequence: 8 };
const tombstone: Item = { ...live, state: "deleted", shredAt: now + 1 };

const decide = {
  GetItem: (snapshot: ItemSnapshot) => decideGetItemAsMember(snapshot),
  PutItem: (snapshot: ItemSnapshot, base: number) => decidePutItemAsMember(snapshot, ref, content, base, actor, now),
  RestoreItem: (snapshot: ItemSnapshot, base: number) => decideRestoreItemAsMember(snapshot, base, actor, now),
};

describe("the operations of members: DECISIONS section 3, VAULT_NOT_FOUND and roles", () => {
  it("a principal without a role gets the same rejection for every state, and nothing is read or written", () => {
    const anyItem = fc.constantFrom(undefined, sealedItem(live), sealedItem(tombstone));
    fc.assert(
      fc.property(fc.constantFrom(undefined, vault), anyItem, fc.nat(9), fc.nat(9), (known, item, floor, base) => {
        for (const each of Object.values(decide)) {
          expect(each({ vault: known, role: undefined, item, floor }, base)).toEqual({
            outcome: { ok: false, reason: "VAULT_NOT_FOUND" },
            writes: [],
          });
        }
      }),
    );
  });

  it.each(["viewer", "auditor", ""])("the role '%s' reads, and is rejected before the item is looked at", (role) => {
    const items = [undefined, sealedItem(live), sealedItem(tombstone)];
    for (const item of items) {
      for (const each of [decide.PutItem, decide.RestoreItem]) {
        expect(each({ vault, role, item, floor: 0 }, 4)).toEqual({
          outcome: { ok: false, reason: "ROLE_FORBIDS_CHANGE" },
          writes: [],
        });
      }
    }
    expect(decide.GetItem({ vault, role, item: storedItem(live), floor: 0 })).toEqual({
      outcome: { ok: true, item: live },
      writes: [],
      disclosed: true,
    });
  });

  it.each(["owner", "admin", "member"])("the role %s replaces a live item and restores a tombstone", (role) => {
    const replaced = decide.PutItem({ vault, role, item: storedItem(live), floor: 0 }, 4);
    const restored = decide.RestoreItem({ vault, role, item: storedItem(tombstone), floor: 0 }, 4);
    for (const { outcome, writes } of [replaced, restored]) {
      expect(outcome).toMatchObject({ ok: true, item: { version: 5, state: "live" } });
      expect(writes).toMatchObject([{ kind: "change" }, { kind: "audit", record: { principalId: "p-1" } }]);
    }
  });

  it.each([
    ["GetItem", undefined, 4, "ITEM_NOT_FOUND"],
    ["PutItem", undefined, 4, "ITEM_NOT_FOUND"],
    ["PutItem", tombstone, 4, "VERSION_CONFLICT"],
    ["RestoreItem", undefined, 4, "ITEM_NOT_FOUND"],
    ["RestoreItem", live, 4, "VERSION_CONFLICT"],
    ["RestoreItem", { ...tombstone, shredAt: now }, 4, "ITEM_SHREDDED"],
  ] as const)("%s by a member of %o at version %d fails with %s", (operation, item, base, reason) => {
    const snapshot = { vault, role: "member", item: item && sealedItem(item), floor: 0 };
    expect(decide[operation](snapshot, base)).toMatchObject({ outcome: { ok: false, reason }, writes: [] });
  });
});
