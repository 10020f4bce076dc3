import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { listChanges } from "../../../../src/services/items.js";
import { createPostgresStorage } from "../../../../src/storage/postgres/create-postgres-storage.js";
import { PostgresCopyUnfinishedError } from "../../../../src/storage/postgres/database/unfinished-copy.js";
import { copiedTables } from "../../../../src/storage/postgres/from-sqlite/copied-tables.js";
import {
  copySqliteToPostgres,
  type DataCopyOptions,
} from "../../../../src/storage/postgres/from-sqlite/copy-sqlite-to-postgres.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { DatabaseInUseError } from "../../../../src/storage/sqlite/database/open-errors.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { tenantId } from "../../../../src/testing/storage-suite/fixture.js";
import { verifyTrail } from "../../../../src/testing/storage-suite/verify-trail.js";
import { startChild } from "../../sqlite/testing/child-process.js";
import { contentKey, openStorage } from "../testing/open-storages.js";
import { calls, createCaller, createSource, keysId, richCalls } from "./testing/rich-database.js";

async function newTarget(options: Partial<DataCopyOptions> & { readonly path: string }): Promise<DataCopyOptions> {
  return { contentKey, keysId, now: 1, url: await createTestDatabase(), ...options };
}

/** Lists every change that a client sees. */
async function listAll(storage: Storage): Promise<unknown[]> {
  const pages = [];
  for (const vaultId of ["vault-1", "vault-2", "völt"]) {
    for (const afterSequence of [0, 1, 5, 1_000_000]) {
      pages.push(await listChanges(storage, { tenantId, vaultId, afterSequence, limit: 500 }));
    }
  }
  return pages;
}

describe("copySqliteToPostgres", () => {
  it("copies everything: both storages return the same, and then answer the same calls with the same outcomes", async () => {
    await fc.assert(
      fc.asyncProperty(calls, calls, fc.boolean(), async (before, after, restored) => {
        const path = temporaryPath();
        await createSource(path, before, restored);
        const bytes = readFileSync(path);
        const options = await newTarget({ path, batchRows: 7 });
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

  it("continues an interrupted copy, and refuses the target to a storage until it is finished", async () => {
    const path = temporaryPath();
    await createSource(path, richCalls(1), true);
    const options = await newTarget({ path, batchRows: 1 });
    const interrupt = (after: number) => {
      let batches = 0;
      const onProgress = () => {
        batches += 1;
        if (batches === after) throw new Error("interrupted");
      };
      return copySqliteToPostgres({ ...options, onProgress });
    };
    for (const after of [1, 2, 20, 5, 30]) {
      await expect(interrupt(after)).rejects.toThrow("interrupted");
      await expect(createPostgresStorage({ url: options.url, contentKey })).rejects.toThrow(
        PostgresCopyUnfinishedError,
      );
    }
    const { rows, how } = await copySqliteToPostgres(options);
    expect(how).toBe("resumed");
    expect(Object.values(rows)).not.toContain(0);
    expect(await copySqliteToPostgres(options)).toMatchObject({ how: "finished" });
    const postgres = await openStorage({ url: options.url });
    const sqlite = createSqliteStorage({ path });
    expect(await listAll(postgres)).toEqual(await listAll(sqlite));
    await sqlite.close();
  });

  it("continues a copy whose process was killed at any point, and copies every row once", async () => {
    const path = temporaryPath();
    await createSource(path, richCalls(4), true);
    const url = await createTestDatabase();
    const reached: string[] = [];
    for (const batches of [1, 3, 10, 25]) {
      const child = startChild(
        new URL("./testing/copy-child.ts", import.meta.url).href,
        ...[path, url, Buffer.from(contentKey).toString("hex"), keysId],
      );
      await expect.poll(() => child.output().split("\n").length > batches, { interval: 1 }).toBe(true);
      await child.kill();
      reached.push(child.output().trim().split("\n").at(-1) ?? "");
    }
    expect(new Set(reached).size).toBe(reached.length);
    expect(await copySqliteToPostgres({ path, url, contentKey, keysId, now: 1 })).toMatchObject({ how: "resumed" });
  });

  it("refuses to continue after the source was used again", async () => {
    const path = temporaryPath();
    await createSource(path, richCalls(2), false);
    const options = await newTarget({ path, batchRows: 3 });
    const onProgress = () => {
      throw new Error("interrupted");
    };
    await expect(copySqliteToPostgres({ ...options, onProgress })).rejects.toThrow("interrupted");
    const sqlite = createSqliteStorage({ path });
    await createCaller(sqlite, "e").setUp();
    await sqlite.close();
    await expect(copySqliteToPostgres(options)).rejects.toMatchObject({ reason: "source_changed" });
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
    ["a changed row", "UPDATE items SET updated_at = updated_at + 1", /rows of the table items differ/],
    ["a missing row", "DELETE FROM vault_members", /the table vault_members has 0 rows instead of 1/],
    ["a lost key", "DELETE FROM content_keys", /rows of the table contents differ/],
    [
      "another content",
      "UPDATE content_keys SET salt = sha256(salt)",
      /a content in the table contents cannot be decrypted/,
    ],
  ])("reports %s in the target at the end", async (_, sql, message) => {
    const path = temporaryPath();
    const put = { vault: "vault-1", item: "item-1", code: "code-1", mark: "x", base: 0, verb: "put" } as const;
    await createSource(path, [put], false);
    const options = await newTarget({ path });
    await copySqliteToPostgres(options);
    await runSql(
      options.url,
      `UPDATE records SET value = (value::jsonb - 'finishedAt')::text WHERE collection = 'data-copy'; ${sql}`,
    );
    await expect(copySqliteToPostgres(options)).rejects.toMatchObject({ reason: "mismatch", message });
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
