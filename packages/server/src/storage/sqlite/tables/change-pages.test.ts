import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeOf, createFixture, itemRef, tenantId } from "../../../testing/storage-suite/fixture.js";
import { integer, text } from "../database/columns.js";
import { openDatabase } from "../database/open-database.js";
import { createStorageOnDatabase } from "../storage-on-database.js";
import { setSequence } from "../testing/set-sequence.js";
import { createChangePages, newScan } from "./change-pages.js";
import { createChanges } from "./changes.js";
import { applyWrite, createTables, storedChange } from "./index.js";

const itemIds = ["item-1", "item-2", "item-3", "item-4", "item-5"];
const changedItems = fc.array(fc.constantFrom(...itemIds), { maxLength: 30 });

/** Creates a vault whose items can be changed in one statement each. */
function createVault(database: DatabaseSync, interval?: number) {
  const tables = { ...createTables(database), changes: createChanges(database, interval) };
  tables.vaults.save({ tenantId, vaultId: "vault-1", retentionDays: 30, accessRevision: 0 });
  const versions = new Map<string, number>();
  const change = (itemId: string) => {
    const version = (versions.get(itemId) ?? 0) + 1;
    versions.set(itemId, version);
    applyWrite(tables, storedChange(changeOf(itemId, `v${version}`, version)));
  };
  const vault = () => {
    const found = tables.vaults.find(tenantId, "vault-1");
    if (found === undefined) throw new Error("the vault is missing");
    return found;
  };
  return { changes: tables.changes, change, vault };
}

describe("a page of changed items", () => {
  // The runs of a property share a database, which takes longer to migrate than to use.
  const database = openDatabase(":memory:");
  const begin = () => database.exec("BEGIN");
  const rollBack = () => database.exec("ROLLBACK");

  it("lists every item once, at its newest sequence, whatever changes while the history is read in parts", () => {
    fc.assert(
      fc
        .property(
          changedItems,
          fc.array(changedItems, { maxLength: 4 }),
          fc.record({
            atOnce: fc.integer({ min: 1, max: 3 }),
            limit: fc.integer({ min: 1, max: 6 }),
            after: fc.nat(20),
            interval: fc.integer({ min: 1, max: 9 }),
          }),
          (before, meanwhile, { atOnce, limit, after, interval }) => {
            const { changes, change, vault } = createVault(database, interval);
            const pages = createChangePages(database, changes, atOnce);
            for (const itemId of before) change(itemId);
            const query = { tenantId, vaultId: "vault-1", afterSequence: after, limit };
            const scan = newScan(after);
            let page = pages.read(vault(), query, scan);
            while (page === undefined) {
              for (const itemId of meanwhile.shift() ?? []) change(itemId);
              page = pages.read(vault(), query, scan);
            }
            const newest = database
              .prepare("SELECT item_id, sequence, version FROM items WHERE sequence > ? ORDER BY sequence")
              .all(after)
              .map((row) => [text(row, "item_id"), integer(row, "sequence"), `v${integer(row, "version")}`]);
            expect(page.items.map((item) => [item.itemId, item.sequence, item.encryptedPayload.ciphertext])).toEqual(
              newest.slice(0, limit),
            );
            expect(page.hasMore).toBe(newest.length > limit);
          },
        )
        .beforeEach(begin)
        .afterEach(rollBack),
    );
  });

  it("the history contains a position below the floor only if it has a change", () => {
    fc.assert(
      fc
        .property(
          changedItems,
          fc.nat(20),
          fc.array(fc.constantFrom(...itemIds), { minLength: 1, maxLength: 30 }),
          fc.integer({ min: 1, max: 9 }),
          (before, gap, after, interval) => {
            const { changes, change, vault } = createVault(database, interval);
            for (const itemId of before) change(itemId);
            setSequence(database, tenantId, "vault-1", vault().head + gap);
            for (const itemId of after) change(itemId);
            const sequences = database.prepare("SELECT sequence FROM changes").all();
            const known = new Set([0, ...sequences.map((row) => integer(row, "sequence"))]);
            for (let sequence = 0; sequence <= vault().head + 2; sequence += 1) {
              expect(changes.reached({ ...vault(), floor: 1000 }, sequence)).toBe(known.has(sequence));
            }
          },
        )
        .beforeEach(begin)
        .afterEach(rollBack),
    );
  });

  it("after thousands of changes of one item is read in parts, between which other calls are answered", async () => {
    const { change } = createVault(database);
    change("item-1");
    for (let count = 0; count < 10_000; count += 1) change("item-2");
    const storage = createStorageOnDatabase(database);
    const { put } = createFixture(storage);
    const order: string[] = [];
    const listed = storage
      .listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 })
      .finally(() => order.push("listed"));
    await put(itemRef("item-1"), "newer", 1).finally(() => order.push("changed"));
    const { items, head } = await listed;
    expect(order).toEqual(["changed", "listed"]);
    expect(head).toBe(10_002);
    expect(items.map(({ itemId, sequence }) => [itemId, sequence])).toEqual([
      ["item-2", 10_001],
      ["item-1", 10_002],
    ]);
    await storage.close();
  });
});
