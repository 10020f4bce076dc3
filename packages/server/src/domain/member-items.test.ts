import { expect, it } from "vitest";
import { content } from "../testing/cases/item-case.js";
import { sealedItem, storedItem } from "../testing/stored-item.js";
import { decideGetItemAsMember } from "./member-items.js";

const ref = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays: 30, accessRevision: 0 };
const live = { ...ref, ...content, version: 4, updatedAt: 0, state: "live", shredAt: undefined, sequence: 8 } as const;

// What callers get is in testing/cases/get-item.ts.
it("a read of an item discloses that it exists, and a rejection does not", () => {
  const read = decideGetItemAsMember({ vault, role: "viewer", item: storedItem(live), floor: 0 });
  expect(read).toEqual({ outcome: { ok: true, item: live }, writes: [], disclosed: true });
  const hidden = decideGetItemAsMember({ vault, role: undefined, item: sealedItem(live), floor: 0 });
  expect(hidden.disclosed ?? false).toBe(false);
});
