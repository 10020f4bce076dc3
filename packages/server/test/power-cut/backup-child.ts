import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createSqliteStorage } from "../../src/storage/sqlite/create-sqlite-storage.js";
import { restoreSqliteBackup } from "../../src/storage/sqlite/restore/restore-backup.js";
import { createFixture, itemRef } from "../../src/testing/storage-suite/fixture.js";
import { marksFile } from "./operation.js";

// Makes a backup, changes an item and kills itself. The next process restores the backup. Marks each completed step.
const [folder = "", step = ""] = process.argv.slice(2);
const path = join(folder, "platform.db");
const backup = join(folder, "backup");
const mark = (text: string) => appendFileSync(join(folder, marksFile), `${text}\n`);

if (step === "back up") {
  const storage = createSqliteStorage({ path });
  const { createVault, put } = createFixture(storage);
  await createVault();
  await put(itemRef("item-1"), "first", 0);
  mark("stored");
  await storage.backUp(backup);
  mark("backed up");
  await put(itemRef("item-1"), "second", 1);
  mark("changed");
  process.kill(process.pid, "SIGKILL");
} else {
  restoreSqliteBackup({ backup, path, now: Date.now(), gap: 1 });
  mark("restored");
}
