import { writeSync } from "node:fs";
import { createWorld, itemRef } from "../../../testing/storage-suite/world.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";

// Puts and deletes items, 64 at a time and without end, and says so of each as soon as it is acknowledged.
const [path = "", run = ""] = process.argv.slice(2);
const { put, remove } = createWorld(createSqliteStorage({ path }));
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

await Promise.all(Array.from({ length: 64 }, work));
