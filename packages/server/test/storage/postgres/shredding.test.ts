import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import { expect, it, onTestFinished } from "vitest";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef } from "../../../src/testing/storage-suite/fixture.js";
import { openStorage } from "./testing/open-storages.js";

const retention = 31 * 24 * 60 * 60 * 1000;

/** Returns where in a data folder bytes occur: tables are in "base", the write-ahead log in "pg_wal". */
function placesOf(folder: string, bytes: Buffer): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const found = paths.filter((path) => readFileSync(path).includes(bytes));
  return [...new Set(found.map((path) => path.slice(folder.length + 1).split(sep)[0] ?? ""))].sort();
}

it("no file contains the plaintext of an item, and after shredding the salt of its key is removed step by step", async () => {
  const server = await startPostgres({ settings: { wal_recycle: "off", min_wal_size: "32MB" } });
  onTestFinished(() => server.stop());
  const storage = await openStorage({ url: server.url });
  const fixture = createFixture(storage);
  await fixture.createVault();
  const items = Array.from({ length: 20 }, (_, index) => itemRef(`item-${index}`));
  for (const item of items) await fixture.put(item, `plaintext of ${item.itemId}`, 0);
  // VACUUM moves the rows that are left over the removed ones, but does not erase the free space of a page. The newest row of the
  // table is next to the free space.
  const [older = itemRef(""), newest = itemRef("")] = [items[5], items[19]];
  const saltOf = async (itemId: string): Promise<Buffer> => {
    const rows = await runSql(server.url, "SELECT salt FROM content_keys WHERE item_id = $1", [itemId]);
    const [salt] = rows.flatMap((row) => Object.values(row)).filter(Buffer.isBuffer);
    if (salt === undefined) throw new Error("The item has no salt.");
    return salt;
  };
  const salts = { older: await saltOf(older.itemId), newest: await saltOf(newest.itemId) };
  const places = async () => {
    await runSql(server.url, "CHECKPOINT");
    const [plaintext, ofOlder, ofNewest] = [Buffer.from("plaintext of"), salts.older, salts.newest].map((bytes) =>
      placesOf(server.folder, bytes),
    );
    return { plaintext, older: ofOlder, newest: ofNewest };
  };

  expect(await places()).toEqual({ plaintext: [], older: ["base", "pg_wal"], newest: ["base", "pg_wal"] });
  for (const item of [older, newest]) await fixture.remove(item, 1);
  fixture.clock.advance(retention);
  for (const item of [older, newest]) expect(await fixture.shred(item)).toBe(true);
  expect(await runSql(server.url, "SELECT item_id FROM content_keys WHERE item_id IN ('item-5', 'item-19')")).toEqual(
    [],
  );

  await runSql(server.url, "VACUUM content_keys");
  expect(await places()).toEqual({ plaintext: [], older: ["pg_wal"], newest: ["base", "pg_wal"] });
  await runSql(server.url, "VACUUM FULL content_keys");
  expect(await places()).toEqual({ plaintext: [], older: ["pg_wal"], newest: ["pg_wal"] });
  for (const table of ["first", "second", "third"]) {
    await runSql(server.url, `CREATE TABLE ${table} ()`);
    await runSql(server.url, "SELECT pg_switch_wal()");
    await runSql(server.url, "CHECKPOINT");
  }
  expect(await places()).toEqual({ plaintext: [], older: [], newest: [] });
});
