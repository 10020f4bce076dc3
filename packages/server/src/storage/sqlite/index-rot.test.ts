import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { createFixture, itemRef } from "../../testing/storage-suite/fixture.js";
import { fillForRot, readAll, wrongAnswers } from "../testing/bit-rot.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { pageBytes } from "./database/open-database.js";
import { schema } from "./database/schema.js";
import { showsDamage } from "./database/sqlite-error.js";
import { verifyDatabase } from "./tables/verification.js";
import { temporaryPath } from "./testing/temporary-path.js";

/** In how many places each index is damaged. */
const places = 100;

/** So many that the index of items has several pages. */
const itemIds = Array.from({ length: 400 }, (_, index) => `item-${index}`);

async function fill(path: string): Promise<void> {
  const storage = createSqliteStorage({ path });
  await fillForRot(storage);
  const { put } = createFixture(storage);
  await Promise.all(itemIds.map((itemId) => put(itemRef(itemId), itemId, 0)));
  await storage.close();
}

function indexes(): string[] {
  const database = new DatabaseSync(":memory:");
  database.exec(schema);
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all();
  return rows.map(({ name }) => String(name));
}

/** Returns bits of an index that are in use, spread over its pages: the first one of a file is 0. */
function bitsOf(path: string, index: string): number[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const pages = database.prepare("SELECT pageno, unused FROM dbstat WHERE name = ?").all(index);
  database.close();
  const bits = pages.flatMap(({ pageno, unused }) => {
    // Most of what is used is at the end of a page.
    const used = 8 * (pageBytes - Number(unused));
    return Array.from({ length: used }, (_, bit) => 8 * pageBytes * Number(pageno) - 1 - bit);
  });
  return bits.filter((_, at) => at % Math.floor(bits.length / places) === 0).slice(0, places);
}

/** Creates some items that exist. Returns those of which there are now two. */
async function createAgain(storage: Storage): Promise<readonly string[]> {
  const { put } = createFixture(storage);
  const twice: string[] = [];
  for (const itemId of itemIds.filter((_, at) => at % 40 === 0)) {
    try {
      const { outcome } = await put(itemRef(itemId), "again", 0);
      if (outcome.ok) twice.push(itemId);
    } catch (error) {
      expect(error).toMatchObject({ name: "StorageError", reason: "damaged" });
    }
  }
  return twice;
}

/** Returns whether a whole verification finds damage. A part takes a fixed time, in which a busy machine verifies little. */
function isFound(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    verifyDatabase(database);
    return false;
  } catch (error) {
    if (!showsDamage(error)) throw error;
    return true;
  } finally {
    database.close();
  }
}

describe("one flipped bit in an index", () => {
  it.each(indexes())("%s is found by verification or changes no answer, and creates nothing twice", async (index) => {
    const path = temporaryPath();
    await fill(path);
    const intact = readFileSync(path);
    const undamaged = createSqliteStorage({ path });
    const answers = await readAll(undamaged);
    await undamaged.close();
    const bits = bitsOf(path, index);
    expect(bits.length).toBeGreaterThanOrEqual(places);
    for (const bit of bits) {
      const damaged = Buffer.from(intact);
      const byte = Math.floor(bit / 8);
      damaged.writeUInt8(damaged.readUInt8(byte) ^ (1 << (bit % 8)), byte);
      writeFileSync(path, damaged);
      const storage = createSqliteStorage({ path });
      const read = await readAll(storage);
      expect(await createAgain(storage)).toEqual([]);
      await storage.close().catch(() => {});
      if (!isFound(path)) expect(wrongAnswers(read, answers)).toEqual([]);
    }
  });
});
