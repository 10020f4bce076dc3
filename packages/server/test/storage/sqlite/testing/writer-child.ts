import { writeSync } from "node:fs";
import { storages } from "../../../../src/storage/sqlite/testing/storages.js";
import { createDeviceFixture } from "../../../../src/testing/storage-suite/device-fixture.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";

// Puts and deletes items, 64 at a time, and exchanges device codes, until it is killed. Prints each change as soon as it
// is acknowledged.
const [path = "", run = "", where = ""] = process.argv.slice(2);
const opened = storages.find((each) => each.where === where)?.openStorage({ path });
if (opened === undefined) throw new Error(`there is no storage "${where}"`);
const storage = await opened;
const { put, remove, clock } = createFixture(storage);
const { setUp, start, answer, exchange } = createDeviceFixture(storage, clock, `${run}-`);
await setUp();
let count = 0;

/** Writes a line at once. In a process with threads, standard output does not wait until the pipe has room. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

async function work(): Promise<never> {
  for (;;) {
    count += 1;
    const item = itemRef(`item-${run}-${count}`);
    const created = await put(item, "c".repeat(count % 3000), 0);
    print(`${created.sequence} ${item.itemId} 1\n`);
    const deleted = await remove(item, 1);
    print(`${deleted.sequence} ${item.itemId} 2\n`);
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
    if (outcome.ok && outcome.status === "approved") print(`exchanged ${code} ${outcome.grant.grantId}\n`);
  }
}

await Promise.all([...Array.from({ length: 64 }, work), ...Array.from({ length: 8 }, exchangeCodes)]);
