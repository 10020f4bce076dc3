import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bindKeys } from "../../../../src/domain/bound-keys.js";
import { refOf } from "../../../../src/ports/storage.js";
import type { MoveSqliteTenantOptions, SqliteMoveStep } from "../../../../src/storage/postgres/arrive/may-arrive.js";
import { movedSqlitePath, moveSqliteTenant } from "../../../../src/storage/postgres/arrive/move-sqlite-tenant.js";
import { openPostgresCell } from "../../../../src/storage/postgres/cell.js";
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
    ...{ tenantId, path, to, others: [], ownTenants: ["own"], contentKey, keysId },
  };
  return { path, to, options };
}

const stateIn = async ({ assignments }: Awaited<ReturnType<typeof createCell>>) =>
  (await assignments.list()).find((each) => each.tenantId === tenantId)?.state;

async function contentsOfFile(path: string) {
  const storage = createSqliteStorage({ path });
  return contentsOf(storage).finally(() => storage.close());
}

describe("moveSqliteTenant", () => {
  it("moves everything: callers read the same and go on with the same sequences, and the file is renamed", async () => {
    const { path, to, options } = await createMove([...richCalls(5)]);
    const before = await contentsOfFile(path);
    const steps: SqliteMoveStep[] = [];
    expect(await moveSqliteTenant({ ...options, onStep: (step) => steps.push(step) })).toBeGreaterThan(100);
    expect(steps.join()).toBe("copied,renamed,serving");
    const storage = await openStorage({ url: to.url, cell });
    expect(await contentsOf(storage)).toEqual(before);
    expect(await stateIn(to)).toBe("serving");
    const names = readdirSync(dirname(path)).filter((name) => path.endsWith(name.split(".moved-")[0] ?? ""));
    expect(names).toEqual([expect.stringMatching(/\.moved-tenant-1-to-b$/)]);

    const head = before.changes[0]?.head ?? 0;
    expect(await createFixture(storage).put(itemRef("new item"), "after", 0)).toMatchObject({ sequence: head + 1 });
    const { rows } = await storage.listAudit({ tenantId, limit: 2 });
    expect(rows[1]).toEqual(before.audit.rows[0]);
    expect(await differencesOf(storage)).toEqual([]);
    await verifyAll(storage);
    expect(await moveSqliteTenant(options)).toBe(0);
  });

  it("continues after an interruption at every step, and at most one place can serve", async () => {
    const { path, to, options } = await createMove();
    const before = await contentsOfFile(path);
    const placeAt: Readonly<Record<SqliteMoveStep, "the file" | "the cell" | "nowhere">> = {
      copied: "the file",
      renamed: "nowhere",
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
    expect([existsSync(path), await stateIn(to)]).toEqual([false, "serving"]);
  });

  it.each(["copied", "renamed"])("continues after it was killed at the step %j", async (at) => {
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
    expect([existsSync(path), await stateIn(to)]).toEqual([false, "serving"]);
  });

  it("copies the file anew if it was used again after an interrupted move", async () => {
    const { path, to, options } = await createMove();
    const onStep = (step: SqliteMoveStep) => {
      if (step === "copied") throw new Error("killed");
    };
    await expect(moveSqliteTenant({ ...options, onStep })).rejects.toThrow("killed");
    const source = createSqliteStorage({ path });
    await createFixture(source).put(itemRef("new"), "used again", 0);
    await source.close();
    const before = await contentsOfFile(path);
    await moveSqliteTenant(options);
    expect(await contentsOf(await openStorage({ url: to.url, cell }))).toEqual(before);
  });

  it("leaves the other tenants of the cell as they are, and refuses a cell that has data of the tenant", async () => {
    const { path, to, options } = await createMove();
    const storage = await openStorage({ url: to.url, cell });
    const row = { tenantId: "neighbour", vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
    await storage.transact(refOf(), commitWrites([{ kind: "vault", vault: row }]));
    const vaults = () => runSql(to.url, "SELECT * FROM vaults WHERE tenant_id = 'neighbour'");
    const before = await vaults();
    const insert =
      "INSERT INTO vault_members (tenant_id, vault_id, principal_id, role) VALUES ($1, 'v', 'p', 'member')";
    await runSql(to.url, insert, [tenantId]);
    const message = /The cell b has data of the tenant tenant-1, which it does not serve/;
    await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "claimed", message });
    expect(existsSync(path)).toBe(true);
    await runSql(to.url, "DELETE FROM vault_members WHERE tenant_id = $1", [tenantId]);
    await moveSqliteTenant(options);
    expect(await vaults()).toEqual(before);
  });

  it("keeps the lock until the file is renamed, so that nothing is written to it after the copy", async () => {
    const { path, options } = await createMove([]);
    const write = async () => createSqliteStorage({ path });
    const onStep = async (step: SqliteMoveStep) => {
      if (step === "copied") await expect(write()).rejects.toThrow(DatabaseInUseError);
    };
    const source = createSqliteStorage({ path });
    await createFixture(source).createVault("vault-1");
    await expect(moveSqliteTenant(options)).rejects.toThrow(DatabaseInUseError);
    await source.close();
    await moveSqliteTenant({ ...options, onStep });
  });

  it("refuses a file with several tenants, or without the tenant, and names what it has", async () => {
    const { path, options } = await createMove();
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
    expect(existsSync(path)).toBe(true);
    await moveSqliteTenant({ ...options, ownTenants: ["own", "second"] });
  });

  it("refuses a tenant that a cell serves or has served, and leaves the file in its place", async () => {
    const { path, to, options } = await createMove();
    const other = await createCell("c", "another");
    await runSql(other.url, "SELECT platform_set_tenant($1, 0, 'paused', '')", [tenantId]);
    const refused = expect(moveSqliteTenant({ ...options, others: [other] })).rejects;
    await refused.toMatchObject({ reason: "claimed", message: /The cell c knows .*"paused"/ });
    for (const [revision, state] of ["serving", "moved", "arriving"].entries()) {
      await runSql(to.url, "SELECT platform_set_tenant($1, $2, $3, 'd')", [tenantId, revision, state]);
      await expect(moveSqliteTenant(options)).rejects.toMatchObject({ reason: "claimed" });
    }
    expect(existsSync(path)).toBe(true);
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
    expect(existsSync(path)).toBe(true);
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
});
