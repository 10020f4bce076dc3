import { describe, expect, it } from "vitest";
import { createPostgresStorage } from "./create-postgres-storage.js";
import { openDatabase } from "./database.js";
import { migrate, PostgresSchemaTooNewError } from "./migrate.js";
import { migrations } from "./migrations/index.js";
import { contentKey } from "./testing/open-storages.js";
import { createTestDatabase, runSql } from "./testing/test-database.js";

async function openTestDatabase() {
  const url = await createTestDatabase({ migrated: false });
  return { url, database: openDatabase({ url, connections: 2, timeout: 10_000 }) };
}

describe("migrations", () => {
  it("run once, however many processes start at the same time", async () => {
    const url = await createTestDatabase({ migrated: false });
    const storages = await Promise.all(Array.from({ length: 6 }, () => createPostgresStorage({ url, contentKey })));
    await Promise.all(storages.map((storage) => storage.close()));
    const versions = await runSql(url, "SELECT version FROM schema_version ORDER BY version");
    expect(versions.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it("continue from the version of the database, each with its version in one transaction", async () => {
    const { url, database } = await openTestDatabase();
    await migrate(database, ["CREATE TABLE first (id integer)"]);
    await expect(migrate(database, ["", "CREATE TABLE second (id integer)", "not SQL"])).rejects.toThrow();
    expect(await runSql(url, "SELECT to_regclass('second') AS second")).toEqual([{ second: null }]);
    await migrate(database, ["", "CREATE TABLE second (id integer)"]);
    expect(await runSql(url, "SELECT max(version) AS version FROM schema_version")).toEqual([{ version: 2 }]);
    await database.close();
  });

  it("may take longer than the timeout of statements", async () => {
    const url = await createTestDatabase({ migrated: false });
    const database = openDatabase({ url, connections: 1, timeout: 300 });
    await migrate(database, ["SELECT pg_sleep(0.6)"]);
    expect(await runSql(url, "SELECT version FROM schema_version")).toEqual([{ version: 1 }]);
    await database.close();
  });

  it("are refused for a database that a newer version has migrated", async () => {
    const url = await createTestDatabase({ migrated: false });
    const storage = await createPostgresStorage({ url, contentKey });
    await storage.close();
    await runSql(url, "INSERT INTO schema_version VALUES (1000, now())");
    const opening = createPostgresStorage({ url, contentKey });
    await expect(opening).rejects.toThrow(PostgresSchemaTooNewError);
    await expect(opening).rejects.toThrow(
      `schema version 1000, and this program supports versions up to ${migrations.length}`,
    );
  });

  it("do not wait for a statement that holds a lock for longer than their limit, and leave nothing behind", async () => {
    const { url, database } = await openTestDatabase();
    await migrate(database, ["CREATE TABLE busy (id integer)"]);
    const slow = runSql(url, "BEGIN; LOCK TABLE busy; SELECT pg_sleep(5); COMMIT");
    await expect
      .poll(() => runSql(url, "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted"))
      .not.toEqual([]);
    const steps = ["", "CREATE TABLE third (id integer); ALTER TABLE busy ADD COLUMN note text"];
    await expect(migrate(database, steps)).rejects.toMatchObject({ cause: { code: "55P03" } });
    expect(await runSql(url, "SELECT to_regclass('third') AS third")).toEqual([{ third: null }]);
    await slow;
    await migrate(database, steps);
    await database.close();
  });
});
