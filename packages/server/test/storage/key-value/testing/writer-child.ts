import { writeSync } from "node:fs";
import { openSqliteStore } from "../../../../examples/own-storage.js";
import { createKeyValueStorage } from "../../../../src/storage/key-value/create-key-value-storage.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";

// Puts and deletes items of one vault, until it is killed. Prints each change once it is acknowledged.
const [path = "", run = ""] = process.argv.slice(2);
const { put, remove } = createFixture(createKeyValueStorage(openSqliteStore(path)));

for (let count = 1; ; count += 1) {
  const items = Array.from({ length: 8 }, (_, index) => itemRef(`item-${run}-${count}-${index}`));
  for (const change of [
    (ref: (typeof items)[0]) => put(ref, "c".repeat(count), 0),
    (ref: (typeof items)[0]) => remove(ref, 1),
  ]) {
    await Promise.all(
      items.map(async (ref) => {
        const { sequence } = await change(ref);
        writeSync(1, `${sequence} ${ref.itemId}\n`);
      }),
    );
  }
}
