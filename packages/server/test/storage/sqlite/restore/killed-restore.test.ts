import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { openDatabase } from "../../../../src/storage/sqlite/database/open-database.js";
import { restoreSqliteBackup, restoring } from "../../../../src/storage/sqlite/restore/restore-backup.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";
import { startChild } from "../testing/child-process.js";

/** Creates the folder of a killed server, with commits in its log, and an older backup. */
async function killedServer() {
  const path = temporaryPath();
  const left = join(dirname(path), "left");
  const backup = join(dirname(path), "backup");
  const storage = createSqliteStorage({ path });
  const { createVault, put } = createFixture(storage);
  await createVault();
  await put(itemRef("item-1"), "backed up", 0);
  await storage.backUp(backup);
  await put(itemRef("item-1"), "later", 1);
  mkdirSync(left);
  execFileSync("cp", [path, `${path}-wal`, left]);
  await storage.close();
  return { path: join(left, "platform.db"), left, backup };
}

/** Returns which database is at a path: "old" or "restored" if it is complete, otherwise a description. */
function databaseAt(path: string): string {
  const database = openDatabase(path);
  try {
    const { content, version, epochs } = database
      .prepare(
        "SELECT content, version, (SELECT count(*) FROM epochs) AS epochs FROM items JOIN contents ON item = items.id",
      )
      .get() ?? { content: "" };
    const mark = /backed up|later/.exec(String(content))?.[0];
    const integrity = Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0];
    if (integrity === "ok" && mark === "later" && version === 2 && epochs === 0) return "old";
    if (integrity === "ok" && mark === "backed up" && version === 4 && epochs === 1) return "restored";
    return `a mix: ${integrity} ${mark} ${version} ${epochs}`;
  } finally {
    database.close();
  }
}

const steps = ["locked", "copied", "checked", "migrated", "epoch begun", "flushed", "set aside", "in place"];

describe("kill -9 during a restore", () => {
  it.each(steps)("leaves the old or the restored database at the step '%s'", async (step) => {
    const { path, left, backup } = await killedServer();
    const child = startChild("./restore-child.ts", backup, path, step);
    await child.ended();
    expect(child.output()).toBe("");
    expect(databaseAt(path)).toBe(step === "in place" ? "restored" : "old");
    expect(() => new DatabaseSync(backup, { readOnly: true }).prepare("SELECT * FROM items").all()).not.toThrow();

    restoreSqliteBackup({ backup, path, now: Date.now() + 1_000, gap: 1 });
    expect(readdirSync(left).filter((file) => file.includes("restoring"))).toEqual([]);
  });

  it("is tested at every step", async () => {
    const { path, backup } = await killedServer();
    expect([...restoring({ backup, path, now: Date.now(), gap: 1 })]).toEqual(steps);
  });
});
