import { expect, it } from "vitest";
import { storedItem } from "../testing/stored-item.js";
import { decideGetItem } from "./get-item.js";
import type { Item } from "./item.js";

const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const item: Item = {
  tenantId: "t-1",
  vaultId: "v-1",
  itemId: "i-1",
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 2 },
  wrappedKeys: [],
  version: 4,
  updatedAt: 0,
  state: "live",
  shredAt: undefined,
  sequence: 8,
};

it.each([
  ["a missing vault", undefined, undefined, { ok: false, reason: "VAULT_NOT_FOUND" }],
  ["a missing item", vault, undefined, { ok: false, reason: "ITEM_NOT_FOUND" }],
  ["an item", vault, storedItem(item), { ok: true, item }],
])("GetItem of %s", (_, vault, item, outcome) => {
  expect(decideGetItem({ vault, role: "member", item, floor: 0 })).toEqual({ outcome, writes: [] });
});
