import { writeSync } from "node:fs";
import { createDeviceFixture } from "../../../testing/storage-suite/device-fixture.js";
import { createFixture, itemRef } from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";

// Puts and deletes items, 64 at a time, and exchanges device codes, until it is killed. Prints each change as soon as it
// is acknowledged.
const [path = "", run = ""] = process.argv.slice(2);
const storage = createSqliteStorage({ path });
const { put, remove, clock } = createFixture(storage);
const { setUp, start, answer, exchange } = createDeviceFixture(storage, clock, `${run}-`);
await setUp();
let count = 0;

async function work(): Promise<never> {
  for (;;) {
    count += 1;
    const item = itemRef(`item-${run}-${count}`);
    const created = await put(item, "c".repeat(count % 3000), 0);
    writeSync(1, `${created.sequence} ${item.itemId} 1\n`);
    const deleted = await remove(item, 1);
    writeSync(1, `${deleted.sequence} ${item.itemId} 2\n`);
  }
}

let codes = 0;

async function exchangeCodes(): Promise<never> {
  for (;;) {
    codes += 1;
    const code = `code-${run}-${codes}`;
    await start(code);
    await answer(`user-${code}`);
    const outcome = await exchange(code);
    if (outcome.ok && outcome.status === "approved") writeSync(1, `exchanged ${code} ${outcome.grant.grantId}\n`);
  }
}

await Promise.all([...Array.from({ length: 64 }, work), ...Array.from({ length: 8 }, exchangeCodes)]);
