import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFixture, itemRef } from "../../../testing/storage-suite/fixture.js";
import { text } from "../database/columns.js";
import { openDatabase } from "../database/open-database.js";
import { createStorageOnDatabase } from "../storage-on-database.js";

const day = 24 * 60 * 60 * 1000;

async function openVault() {
  const database = openDatabase(":memory:");
  const fixture = createFixture(createStorageOnDatabase(database));
  await fixture.createVault("vault-1", 1);
  return { database, ...fixture };
}

const rowsOf = (database: DatabaseSync, sql: string) => database.prepare(sql).all();

describe("the tombstones of items", () => {
  it("are all that a deletion writes about its item", async () => {
    const { database, put, remove, find } = await openVault();
    await put(itemRef("item-1"), "a", 0);
    const before = rowsOf(database, "SELECT * FROM items JOIN contents ON item = id");
    await remove(itemRef("item-1"), 1);
    expect(rowsOf(database, "SELECT * FROM items JOIN contents ON item = id")).toEqual(before);
    expect(await find(itemRef("item-1"))).toMatchObject({ version: 2, sequence: 2, state: "deleted" });
  });

  it("exist only while their items can be restored, and give each item the status of its newest change", async () => {
    const act = fc.record({
      item: fc.constantFrom("item-1", "item-2"),
      what: fc.constantFrom("put", "remove", "restore", "shred"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        const { database, put, remove, restore, shred, find, clock } = await openVault();
        for (const { item, what } of acts) {
          const ref = itemRef(item);
          const { version = 0 } = (await find(ref)) ?? {};
          if (what === "put") await put(ref, `v${version}`, version);
          else if (what === "remove") await remove(ref, version);
          else if (what === "restore") await restore(ref, version);
          else {
            clock.advance(day);
            await shred(ref);
          }
          const states = rowsOf(
            database,
            "SELECT item_id, version, sequence, state, shred_at FROM item_states ORDER BY id",
          );
          for (const row of states) {
            const { shredAt = null, ...item } = (await find(itemRef(text(row, "item_id")))) ?? {};
            const { version, sequence, state, shred_at, item_id } = row;
            expect({ ...item, shredAt }).toMatchObject({
              itemId: item_id,
              version,
              sequence,
              state,
              shredAt: shred_at,
            });
          }
          // Not their states: shredding is not a change.
          const status = "item_id, items.version, items.sequence FROM item_states AS items ORDER BY id";
          const newest = `
            item_id, changes.version, changes.sequence FROM changes JOIN items ON id = item
            WHERE position IN (SELECT max(position) FROM changes GROUP BY item) ORDER BY id`;
          expect(rowsOf(database, `SELECT ${status}`)).toEqual(rowsOf(database, `SELECT ${newest}`));
          expect(rowsOf(database, "SELECT item_id FROM tombstones JOIN items ON id = item ORDER BY id")).toEqual(
            states.flatMap(({ item_id, state }) => (state === "deleted" ? [{ item_id }] : [])),
          );
        }
        database.close();
      }),
      { numRuns: 60 },
    );
  });
});
