import { describe, expect, it } from "vitest";
import { createSqliteStorage } from "../../../src/storage/sqlite/create-sqlite-storage.js";
import { openDatabase } from "../../../src/storage/sqlite/database/open-database.js";
import { storages } from "../../../src/storage/sqlite/testing/storages.js";
import { temporaryPath } from "../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { startChild } from "./testing/child-process.js";

describe.each(storages)("durability, $where", ({ where }) => {
  it("loses no acknowledged deletion or exchange, and no sequence, when the process is killed five times under load", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    await createFixture(storage).createVault();
    await storage.close();

    const acknowledged: string[] = [];
    for (const run of [1, 2, 3, 4, 5]) {
      const writer = startChild("./writer-child.ts", path, String(run), where);
      // Kills each writer at another point of the load.
      await writer.said(`item-${run}-${run * 150} 2\n`);
      await writer.kill();
      // An incomplete line was not acknowledged.
      acknowledged.push(...writer.output().split("\n").slice(0, -1));
    }
    const exchanged = acknowledged.filter((line) => line.startsWith("exchanged "));
    const changed = acknowledged.filter((line) => !line.startsWith("exchanged "));
    expect(changed.length).toBeGreaterThan(2000);
    expect(exchanged.length).toBeGreaterThan(50);

    const database = openDatabase(path);
    const history = database.prepare(`
      SELECT changes.sequence || ' ' || item_id || ' ' || changes.version AS change
      FROM changes JOIN items ON items.id = item ORDER BY changes.sequence`);
    const stored = history.all().map(({ change }) => String(change));
    const kept = new Set(stored);
    expect(changed.filter((change) => !kept.has(change))).toEqual([]);
    expect(stored.map((change) => Number.parseInt(change, 10))).toEqual(stored.map((_, index) => index + 1));
    const head = database.prepare("SELECT sequence FROM vaults WHERE tenant_id = ?").get(tenantId);
    expect(head).toEqual({ sequence: stored.length });
    const torn = database.prepare(`
      SELECT count(*) AS count FROM item_states
      WHERE (sequence, version) <> (SELECT sequence, version FROM changes WHERE item = item_states.id ORDER BY position DESC)`);
    expect(torn.get()).toEqual({ count: 0 });
    const consumed = database.prepare(`
      SELECT 'exchanged ' || codes.key || ' ' || grants.key AS line FROM records AS codes JOIN records AS grants
        ON grants.collection = 'grant' AND grants.key = codes.value->'consumption'->>'grantId'
      WHERE codes.collection = 'device-authorization' AND codes.value->>'state' = 'consumed'`);
    const granted = new Set(consumed.all().map(({ line }) => line));
    expect(exchanged.filter((line) => !granted.has(line))).toEqual([]);
    database.close();
  }, 120_000);
});
