import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { listChanges } from "../../../../src/services/items.js";
import { copiedTables } from "../../../../src/storage/postgres/from-sqlite/copied-tables.js";
import {
  copySqliteToPostgres,
  type DataCopyOptions,
} from "../../../../src/storage/postgres/from-sqlite/copy-sqlite-to-postgres.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { DatabaseInUseError } from "../../../../src/storage/sqlite/database/open-errors.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef, tenantId } from "../../../../src/testing/storage-suite/fixture.js";
import { put as putRecord, recordOf } from "../../../../src/testing/storage-suite/records.js";
import { verifyTrail } from "../../../../src/testing/storage-suite/verify-trail.js";
import { startChild } from "../../sqlite/testing/child-process.js";
import { contentKey, openStorage } from "../testing/open-storages.js";
import { calls, createCaller, createSource, keysId, richCalls } from "./testing/rich-database.js";

async function newTarget(options: Partial<DataCopyOptions> & { readonly path: string }): Promise<DataCopyOptions> {
  return { contentKey, keysId, now: 1, url: await createTestDatabase(), ...options };
}

/** Writes records that do not fit in one batch of a copy. */
async function writeSeveralBatches(path: string): Promise<void> {
  const storage = createSqliteStorage({ path });
  const value = JSON.stringify("x".repeat(1_500_000));
  for (const key of ["a", "b", "c", "d"]) {
    await putRecord(storage, recordOf(key, { collection: "large", value, expiresAt: undefined }), 0, 1);
  }
  await storage.close();
}

/** Lists every change and every earlier content that a client sees. */
async function listAll(storage: Storage): Promise<unknown[]> {
  const pages = [];
  for (const vaultId of ["vault-1", "vault-2", "völt"]) {
    for (const afterSequence of [0, 1, 5, 1_000_000]) {
      pages.push(await listChanges(storage, { tenantId, vaultId, afterSequence, limit: 500 }));
    }
    for (const itemId of ["item-1", "item-2", "item-3", "ítem 4"])
      pages.push(await createFixture(storage).earlier(itemRef(itemId, vaultId)));
  }
  return pages;
}

describe("copySqliteToPostgres", () => {
  it("copies everything: both storages return the same, and then answer the same calls with the same outcomes", async () => {
    await fc.assert(
      fc.asyncProperty(calls, calls, fc.boolean(), async (before, after, restored) => {
        const path = temporaryPath();
        await createSource(path, before, restored);
        await writeSeveralBatches(path);
        const bytes = readFileSync(path);
        const options = await newTarget({ path });
        const { rows, how } = await copySqliteToPostgres(options);
        expect(how).toBe("copied");
        expect(rows).toMatchObject({ epochs: restored ? 1 : 0 });
        expect(readFileSync(path).equals(bytes)).toBe(true);

        const sqlite = createSqliteStorage({ path });
        const postgres = await openStorage({ url: options.url });
        expect(await listAll(postgres)).toEqual(await listAll(sqlite));
        const outcomes = await createCaller(sqlite, "d").makeAll([...before, ...after]);
        expect(await createCaller(postgres, "d").makeAll([...before, ...after])).toEqual(outcomes);
        expect(await listAll(postgres)).toEqual(await listAll(sqlite));
        expect(await postgres.readAudit(0, 1000)).toEqual({
          ...(await sqlite.readAudit(0, 1000)),
          unsealed: expect.any(Number),
        });
        await postgres.sealAudit(1000);
        expect(await verifyTrail(postgres)).toMatchObject({ differences: [] });
        await sqlite.close();
        await postgres.close();
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it("stores nothing if it is interrupted or killed, starts again with the same call, and does nothing once it has finished", async () => {
    const path = temporaryPath();
    await createSource(path, richCalls(1), true);
    const options = await newTarget({ path });
    const holder = new pg.Client(options.url);
    await holder.connect();
    onTestFinished(() => holder.end());
    const isEmpty = async () => {
      const tables = copiedTables.flatMap(({ fills }) => Object.keys(fills));
      const found = await runSql(options.url, tables.map((table) => `SELECT 1 FROM ${table}`).join(" UNION ALL "));
      return found.length === 0;
    };
    // The last table waits for a lock.
    await holder.query("BEGIN; LOCK TABLE epochs IN SHARE MODE");
    const child = startChild(
      new URL("./testing/copy-child.ts", import.meta.url).href,
      ...[path, options.url, Buffer.from(contentKey).toString("hex"), keysId],
    );
    const waiting = "SELECT FROM pg_locks WHERE relation = 'epochs'::regclass AND NOT granted";
    await expect.poll(() => holder.query(waiting).then(({ rowCount }) => rowCount)).toBe(1);
    await child.kill();
    await holder.query("COMMIT");
    expect(await isEmpty()).toBe(true);

    await holder.query("ALTER TABLE epochs ADD CONSTRAINT fails CHECK (number < 0)");
    await expect(copySqliteToPostgres(options)).rejects.toMatchObject({ reason: "target_failed", message: /fails/ });
    expect(await isEmpty()).toBe(true);
    await holder.query("ALTER TABLE epochs DROP CONSTRAINT fails");

    const { rows, how } = await copySqliteToPostgres(options);
    expect(how).toBe("copied");
    expect(Object.values(rows)).not.toContain(0);
    expect(await copySqliteToPostgres(options)).toEqual({ rows, how: "finished" });
    const postgres = await openStorage({ url: options.url });
    const sqlite = createSqliteStorage({ path });
    expect(await listAll(postgres)).toEqual(await listAll(sqlite));
    await createCaller(sqlite, "e").setUp();
    await sqlite.close();
    // The source has been used since, and is another one.
    await expect(copySqliteToPostgres(options)).rejects.toMatchObject({ reason: "target_not_empty" });
  });

  it("refuses a target that is not empty, a source in use, other keys, and a file that is not a database", async () => {
    const path = temporaryPath();
    await createSource(path, richCalls(3), false);
    const used = await newTarget({ path });
    const storage = await openStorage({ url: used.url });
    await createCaller(storage, "f").setUp();
    const fails = (options: DataCopyOptions) => expect(copySqliteToPostgres(options)).rejects;
    await fails(used).toMatchObject({ reason: "target_not_empty", message: /is not empty: the table vaults has rows/ });
    const empty = await newTarget({ path });
    await fails({ ...empty, keysId: "other" }).toMatchObject({ reason: "other_keys" });
    await fails({ ...empty, path: `${path}-none` }).toMatchObject({ reason: "no_source" });
    await fails({ ...empty, path: import.meta.filename }).toMatchObject({ reason: "no_source" });
    await fails({ ...empty, url: "postgres://127.0.0.1:1/none" }).toMatchObject({ reason: "target_failed" });
    const sqlite = createSqliteStorage({ path });
    await fails(empty).toThrow(DatabaseInUseError);
    await sqlite.close();
    expect(await copySqliteToPostgres(empty)).toMatchObject({ how: "copied" });
  });

  it.each([
    [
      "a content",
      "UPDATE contents SET content = replace(content, 'nonce', 'nonse') WHERE item = 1",
      /table contents.*item_id/,
    ],
    ["a missing content", "DELETE FROM contents WHERE item = 1", /table contents.*item_id/],
    ["a record", "INSERT INTO records VALUES ('t', 'c', 'k', 'p', '', '{}', 1, 1, NULL, 7)", /table records/],
    ["a reference", "PRAGMA foreign_keys = OFF; UPDATE vault_members SET vault = 99", /is damaged\./],
  ])("reports %s that is damaged in the source, and where", async (_, sql, message) => {
    const path = temporaryPath();
    const put = { vault: "vault-1", item: "item-1", code: "code-1", mark: "x", base: 0, verb: "put" } as const;
    await createSource(path, [put], false);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const copying = copySqliteToPostgres(await newTarget({ path }));
    await expect(copying).rejects.toMatchObject({ reason: "source_damaged", message });
  });

  it.each([
    ["a changed row", "items", "NEW.updated_at := NEW.updated_at + 1; RETURN NEW", /rows of the table items differ/],
    ["a missing row", "vault_members", "RETURN NULL", /the table vault_members has 0 rows instead of 1/],
    ["a lost key", "content_keys", "RETURN NULL", /rows of the table contents differ/],
    [
      ...["another content", "content_keys", "NEW.salt := sha256(NEW.salt); RETURN NEW"],
      /a content in the table contents cannot be decrypted/,
    ],
  ] as const)("reports %s in the target, and stores nothing", async (_, table, body, message) => {
    const path = temporaryPath();
    const put = { vault: "vault-1", item: "item-1", code: "code-1", mark: "x", base: 0, verb: "put" } as const;
    await createSource(path, [put], false);
    const options = await newTarget({ path });
    await runSql(options.url, `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${body}; END'`);
    await runSql(options.url, `CREATE TRIGGER spoil BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION spoil()`);
    await expect(copySqliteToPostgres(options)).rejects.toMatchObject({ reason: "mismatch", message });
    await runSql(options.url, `DROP TRIGGER spoil ON ${table}`);
    expect(await copySqliteToPostgres(options)).toMatchObject({ how: "copied" });
  });

  it("knows every table and column of both schemas", async () => {
    const path = temporaryPath();
    await createSource(path, [], false);
    const { url } = await newTarget({ path });
    await (await openStorage({ url })).close();
    // What processes share besides the data, and the tenants of a cell, are not copied, nor are checksums, nor links, which a record gets when it is written next.
    const columns = await runSql(
      url,
      `SELECT table_name, array_agg(column_name::text) AS columns FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT IN ('schema_version', 'rate_buckets', 'wrong_guesses', 'leases', 'tenants', 'arrived_audit', 'arrived_audit_seals')
       AND table_name !~ '^audit_(other|2)' AND column_name <> 'links' AND is_generated = 'NEVER' GROUP BY table_name`,
    );
    const filled = copiedTables.flatMap(({ fills }) => Object.entries(fills));
    const sorted = (entries: (readonly [unknown, readonly string[]])[]) =>
      Object.fromEntries(entries.map(([name, list]) => [name, [...list].sort()]));
    expect(sorted(filled)).toEqual(
      sorted(columns.map(({ table_name, columns: list }) => [table_name, list as string[]])),
    );
    const database = new DatabaseSync(path, { readOnly: true });
    const schema = database
      .prepare(
        `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1`,
      )
      .all();
    database.close();
    // A column that is new here must be copied, or is derived from others.
    expect(schema.map(({ name }) => name).join("\n")).toMatchSnapshot();
  });
});
