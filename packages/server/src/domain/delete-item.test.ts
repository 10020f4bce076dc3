import { describe, expect, it } from "vitest";
import { content, shredded } from "../testing/cases/item-case.js";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { storedItem } from "../testing/stored-item.js";
import { decideDeleteItem } from "./delete-item.js";
import type { Item } from "./item.js";

const day = 24 * 60 * 60 * 1000;
const now = 1_700_000_000_000;
const live: Item = {
  ...{ tenantId: "t-1", vaultId: "v-1", itemId: "i-1" },
  ...content,
  version: 3,
  updatedAt: now - 1000,
  state: "live",
  shredAt: undefined,
  sequence: 7,
};
const status = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 4, updatedAt: now };

function decide(item: Item, retentionDays = 30) {
  const vault = { tenantId: "t-1", vaultId: "v-1", retentionDays, accessRevision: 2 };
  return decideDeleteItem({ vault, role: "owner", item: storedItem(item), floor: 0 }, 3, actor, now);
}

// What callers get is in testing/cases/delete-item.ts.
describe("DECISIONS section 3: the writes of a deletion", () => {
  it("are a change without content, because the stored content is kept, and an audit record", () => {
    const { outcome, writes } = decide(live);
    const change = { ...status, state: "deleted", shredAt: now + 30 * day };
    expect(writes).toEqual([{ kind: "change", item: change }, expect.objectContaining({ kind: "audit" })]);
    expect(outcome).toEqual({ ok: true, item: { ...content, ...change } });
  });

  it("also erase the content when the retention is 0", () => {
    const { outcome, writes } = decide(live, 0);
    const item = { ...status, state: "shredded", shredAt: undefined };
    expect(writes).toMatchObject([{ kind: "change", item }, { kind: "shred", item }, { kind: "audit" }]);
    expect(outcome).toEqual({ ok: true, item: { ...shredded, ...item } });
  });

  it("are none for a retry, which discloses that the item exists", () => {
    const tombstone: Item = { ...live, version: 4, state: "deleted", shredAt: now + day };
    expect(decide(tombstone)).toEqual({ outcome: { ok: true, item: tombstone }, writes: [], disclosed: true });
  });
});
