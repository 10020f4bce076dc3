import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bindKeys } from "../../../../src/domain/bound-keys.js";
import { refOf } from "../../../../src/ports/storage.js";
import {
  type MoveSqliteTenantOptions,
  movedSqlitePath,
  moveSqliteTenant,
  type SqliteMoveStep,
} from "../../../../src/storage/postgres/arrive/move-sqlite-tenant.js";
import { openPostgresCell } from "../../../../src/storage/postgres/cell.js";
import { migratePostgresDatabase } from "../../../../src/storage/postgres/migrate.js";
import { moveTenant } from "../../../../src/storage/postgres/move/move-tenant.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { DatabaseInUseError } from "../../../../src/storage/sqlite/database/open-errors.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef, tenantId } from "../../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../../src/testing/storage-suite/rules.js";
import { startChild } from "../../sqlite/testing/child-process.js";
import { createSource, keysId, richCalls } from "../from-sqlite/testing/rich-database.js";
import { cell, contentsOf, differencesOf, verifyAll } from "../move/testing/cells.js";
import { contentKey, openStorage } from "../testing/open-storages.js";

/** Creates a cell that serves a tenant. */
async function createCell(name: string, tenant: string) {
  const url = await createTestDatabase();
  const assignments = await openPostgresCell({ url });
  onTestFinished(() => assignments.close());
  await assignments.assign(tenant);
  return { name, url, assignments };
}

/** Creates a SQLite database with everything that a tenant can have, and a cell, which has another one. */
async function createMove(calls = richCalls(9).slice(0, 20)) {
  const path = temporaryPath();
  await createSource(path, calls, true);
  const to = await createCell("b", "neighbour");
  const options: MoveSqliteTenantOptions = {
    ...{ tenantId, path, to, others: [], ownTenants: ["own"], contentKey, keysId, now: 1 },
  };
  return { path, to, options };
}

const stateIn = async ({ assignments }: Awaited<ReturnType<typeof createCell>>) =>
  (await assignments.list()).find((each) => each.tenantId === tenantId)?.state;

/** The names of the databases that data passes through to a cell. */
const arrivalsOf = async (url: string) => {
  const name = `${new URL(url).pathname.slice(1)}_arriving_`;
  const found = await runSql(url, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [name]);
  return found.map(({ datname }) => String(datname));
};

async function contentsOfFile(path: string) {
  const storage = createSqliteStorage({ path });
  return contentsOf(storage).finally(() => storage.close());
}

describe("moveSqliteTenant", () => {
  it("moves everything: callers read the same and go on with the same sequences, and the file is renamed", async () => {
    const { path, to, options } = await createMove([...richCalls(5)]);
    const before = await contentsOfFile(path);
    const steps: SqliteMoveStep[] = [];
    const { copied } = await moveSqliteTenant({ ...options, onStep: (step) => steps.push(step) });
    expect(copied).toBeGreaterThan(100);
    expect(steps.join()).toBe("created,copied,renamed,copying,paused,compared,handed over,serving,dropped");
    const storage = await openStorage({ url: to.url, cell });
    expect(await contentsOf(storage)).toEqual(before);
    expect(await stateIn(to)).toBe("serving");
    expect(await arrivalsOf(to.url)).toEqual([]);
    const names = readdirSync(dirname(path)).filter((name) => path.endsWith(name.split(".moved-")[0] ?? ""));
    expect(names).toEqual([expect.stringMatching(/\.moved-tenant-1-to-b$/)]);

    const head = before.changes[0]?.head ?? 0;
    expect(await createFixture(storage).put(itemRef("new item"), "after", 0)).toMatchObject({ sequence: head + 1 });
    const { rows } = await storage.listAudit({ tenantId, limit: 2 });
    expect(rows[1]).toEqual(before.audit.rows[0]);
    expect(await differencesOf(storage)).toEqual([]);
    await verifyAll(storage);
    expect(await moveSqliteTenant(options)).toEqual({ copied: 0, pausedMs: 0 });
  });

  it("continues after an interruption at every step, and at most one place can serve", async () => {
    const { path, to, options } = await createMove();
    const before = await contentsOfFile(path);
    const placeAt: Readonly<Record<Exclude<SqliteMoveStep, "dropped">, "the file" | "the cell" | "nowhere">> = {
      created: "the file",
      copied: "the file",
      renamed: "nowhere",
      copying: "nowhere",
      paused: "nowhere",
      compared: "nowhere",
      "handed over": "nowhere",
      serving: "the cell",
    };
    for (const [at, place] of Object.entries(placeAt)) {
      const onStep = (step: SqliteMoveStep) => {
        if (step === at) throw new Error("killed");
      };
      await expect(moveSqliteTenant({ ...options, onStep }), at).rejects.toThrow("killed");
      const served = { file: existsSync(path), cell: (await stateIn(to)) === "serving" };
      expect(served, at).toEqual({ file: place === "the file", cell: place === "the cell" });
    }
    await moveSqliteTenant(options);
    const storage = await openStorage({ url: to.url, cell });
    expect(await contentsOf(storage)).toEqual(before);
    expect([existsSync(path), await stateIn(to), await arrivalsOf(to.url)]).toEqual([false, "serving", []]);
  });

  it.each(["copied", "paused"])("continues after it was killed at the step %j", async (at) => {
    const { path, to, options } = await createMove();
    const before = await contentsOfFile(path);
    const child = startChild(
      new URL("./testing/move-child.ts", import.meta.url).href,
      ...[tenantId, path, to.url, Buffer.from(contentKey).toString("hex"), keysId, at],
    );
    await expect.poll(() => child.output().trim().split("\n").at(-1)).toBe(at);
    await child.kill();
    await moveSqliteTenant(options);
    expect(await contentsOf(await openStorage({ url: to.url, cell }))).toEqual(before);
    expect([existsSync(path), await stateIn(to), await arrivalsOf(to.url)]).toEqual([false, "serving", []]);
  });

  it("copies the renamed file again if the database in between was lost", async () => {
    const { path, to, options } = await createMove();
    const before = await contentsOfFile(path);
    const onStep = (step: SqliteMoveStep) => {
      if (step === "handed over") throw new Error("killed");
    };
    await expect(moveSqliteTenant({ ...options, onStep })).rejects.toThrow("killed");
    for (const name of await arrivalsOf(to.url)) await runSql(to.url, `DROP DATABASE ${name}`);
    await moveSqliteTenant(options);
    expect(await contentsOf(await openStorage({ url: to.url, cell }))).toEqual(before);
  });

  it("copies the file anew if it was used again after an interrupted copy, but not over a move that has begun", async () => {
    const { path, to, options } = await createMove();
    const interrupt = (at: SqliteMoveStep) => {
      const onStep = (step: SqliteMoveStep) => {
        if (step === at) throw new Error("killed");
      };
      return expect(moveSqliteTenant({ ...options, onStep })).rejects.toThrow("killed");
    };
    const useAgain = async (itemId: string) => {
      const source = createSqliteStorage({ path });
      await createFixture(source).put(itemRef(itemId), "used again", 0);
      await source.close();
    };
    await interrupt("copied");
    await useAgain("new-1");
    await interrupt("copying");
    renameSync(movedSqlitePath(options), path);
    await useAgain("new-2");
    const before = await contentsOfFile(path);
    const message = /_arriving_\w+ contains another move .*Drop the database if you have given up/;
    await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "claimed", message });
    for (const name of await arrivalsOf(to.url)) await runSql(to.url, `DROP DATABASE ${name}`);
    await moveSqliteTenant(options);
    expect(await contentsOf(await openStorage({ url: to.url, cell }))).toEqual(before);
  });

  it("keeps the lock until the file is renamed, so that nothing is written to it after the copy", async () => {
    const { path, options } = await createMove([]);
    const write = async () => createSqliteStorage({ path });
    const onStep = async (step: SqliteMoveStep) => {
      if (step === "created" || step === "copied") await expect(write()).rejects.toThrow(DatabaseInUseError);
    };
    const source = createSqliteStorage({ path });
    await createFixture(source).createVault("vault-1");
    await expect(moveSqliteTenant(options)).rejects.toThrow(DatabaseInUseError);
    await source.close();
    await moveSqliteTenant({ ...options, onStep });
  });

  it("refuses a file with several tenants, or without the tenant, and names what it has", async () => {
    const { path, to, options } = await createMove();
    const refused = (changed: Partial<MoveSqliteTenantOptions>) =>
      expect(moveSqliteTenant({ ...options, ...changed })).rejects;
    await refused({ tenantId: "nobody" }).toMatchObject({ reason: "not_found", message: /It has tenant-1\./ });
    const source = createSqliteStorage({ path });
    const vault = { tenantId: "own", vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
    const second = { ...vault, tenantId: "second" };
    await source.transact(
      refOf(),
      commitWrites([
        { kind: "vault", vault },
        { kind: "vault", vault: second },
      ]),
    );
    await source.close();
    const message = /several tenants: second, tenant-1\. .*migrate-data.*assign-tenant/;
    await refused({}).toMatchObject({ reason: "several_tenants", message });
    await refused({ path: `${path}-none` }).toMatchObject({ reason: "no_source" });
    expect([existsSync(path), await arrivalsOf(to.url)]).toEqual([true, []]);
    await moveSqliteTenant({ ...options, ownTenants: ["own", "second"] });
  });

  it("refuses a tenant that a cell serves or has served, and leaves the file in its place", async () => {
    const { path, to, options } = await createMove();
    const other = await createCell("c", "another");
    await runSql(other.url, "SELECT platform_set_tenant($1, 0, 'paused', '', '')", [tenantId]);
    const refused = expect(moveSqliteTenant({ ...options, others: [other] })).rejects;
    await refused.toMatchObject({ reason: "claimed", message: /The cell c knows .*"paused"/ });
    for (const [revision, state] of ["serving", "moved", "arriving"].entries()) {
      await runSql(to.url, "SELECT platform_set_tenant($1, $2, $3, 'd', '')", [tenantId, revision, state]);
      await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "claimed" });
    }
    expect([existsSync(path), await arrivalsOf(to.url)]).toEqual([true, []]);
  });

  it("does not take back a tenant that has moved on to another cell", async () => {
    const { to, options } = await createMove();
    const other = await createCell("c", "another");
    await moveSqliteTenant(options);
    await moveTenant({ tenantId, from: to, to: other });
    await expect(moveSqliteTenant(options)).rejects.toMatchObject({
      ...{ reason: "claimed", message: /gave it to c/ },
    });
    expect(await stateIn(other)).toBe("serving");
  });

  it("refuses other keys than those of the file, or of the cell", async () => {
    const { path, to, options } = await createMove();
    await expect(moveSqliteTenant({ ...options, keysId: "other" })).rejects.toMatchObject({ reason: "other_keys" });
    const storage = await openStorage({ url: to.url, cell });
    await storage.transact(refOf(), bindKeys({ keysId: "cell's", replace: undefined }, 1));
    const message = /The cell b was last used with the keys cell's/;
    await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "other_keys", message });
    expect([existsSync(path), await arrivalsOf(to.url)]).toEqual([true, []]);
  });

  it("refuses to choose between the renamed file and a new one at its old path", async () => {
    const { path, options } = await createMove();
    const onStep = (step: SqliteMoveStep) => {
      if (step === "renamed") throw new Error("killed");
    };
    await expect(moveSqliteTenant({ ...options, onStep })).rejects.toThrow("killed");
    writeFileSync(path, "");
    await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "two_files" });
    renameSync(path, `${path}.elsewhere`);
    await moveSqliteTenant(options);
    expect(existsSync(movedSqlitePath(options))).toBe(true);
  });

  it("says which right is missing if the role may not create databases, and uses a database that was created for it", async () => {
    const { options } = await createMove();
    const admin = await createTestDatabase({ migrated: false });
    const database = new URL(admin).pathname.slice(1);
    const url = new URL(admin);
    url.username = `owner_of_${database}`;
    await runSql(admin, `CREATE ROLE ${url.username} LOGIN`);
    await runSql(admin, `ALTER DATABASE ${database} OWNER TO ${url.username}`);
    onTestFinished(async () => {
      await runSql(admin, `REASSIGN OWNED BY ${url.username} TO CURRENT_USER`);
      await runSql(admin, `DROP OWNED BY ${url.username}`);
      await runSql(admin, `DROP ROLE ${url.username}`);
    });
    await migratePostgresDatabase({ url: url.href });
    const to = { name: "b", url: url.href };
    const refused = await moveSqliteTenant({ ...options, to }).catch((error) => error);
    expect(refused).toMatchObject({ reason: "target_failed", message: /permission denied to create database/ });
    const [, sql = ""] = /or (CREATE DATABASE .*?;)/.exec(refused.message) ?? [];
    await runSql(admin, sql);
    await moveSqliteTenant({ ...options, to });
    expect(await arrivalsOf(admin)).toEqual([]);
  });
});
