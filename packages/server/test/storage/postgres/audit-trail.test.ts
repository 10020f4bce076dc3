import { describe, expect, it } from "vitest";
import type { Write } from "../../../src/domain/model/decision.js";
import { refOf, type Storage } from "../../../src/ports/storage.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { auditOf } from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../src/testing/storage-suite/rules.js";
import { verifyTrail } from "../../../src/testing/storage-suite/verify-trail.js";
import { endSessions, holdLock, terminate } from "./testing/faulty-storage.js";
import { openStorage, openStorages } from "./testing/open-storages.js";

const rowOf = (subjectTenantId: string, at = Date.now()) => auditOf({ subjectTenantId, at });

const append = (storage: Storage | undefined, ...writes: Write[]) => storage?.transact(refOf(), commitWrites(writes));

async function verify(storage: Storage) {
  const { tenants, unsealed, ...rest } = await verifyTrail(storage);
  expect(unsealed).toBe(0);
  return { ...rest, rows: tenants.reduce((sum, { rows }) => sum + rows, 0) };
}

describe("the audit trail of several processes", () => {
  it("seals each row once and in order while four processes write and two of them seal", async () => {
    const { storages } = await openStorages(4);
    let writing = true;
    const sealing = storages.slice(0, 2).map(async (storage) => {
      let rows = 0;
      while (writing) rows += (await storage.sealAudit(7)).rows;
      return rows;
    });
    const writes = storages.map(async (storage, process) => {
      for (let n = 0; n < 60; n++) {
        await Promise.all([0, 1, 2].map((k) => append(storage, rowOf(`tenant-${(n + k + process) % 4}`))));
      }
    });
    await Promise.all(writes);
    writing = false;
    const sealed = (await Promise.all(sealing)).reduce((a, b) => a + b, 0);
    const [storage] = storages;
    const rest = (await storage?.sealAudit(1000))?.rows ?? 0;
    expect(sealed + rest).toBe(720);
    expect(storage && (await verify(storage))).toMatchObject({ rows: 720, differences: [] });
  });

  it("does not seal beyond a row that is not committed yet, and delays no call", async () => {
    const url = await createTestDatabase();
    const storage = await openStorage({ url });
    const row = `INSERT INTO audit (subject_tenant_id, at, tenant_id, principal_id, oauth_client_id, token_id, operation, request_id,
      subject, event, version_before, version_after) VALUES ('late', 0, '', '', '', '', '', '', 'late', '', 0, 0)`;
    const commit = await holdLock(url, row);
    await append(storage, rowOf("early"));
    const sealing = storage.sealAudit(10);
    await append(storage, rowOf("early"));
    expect(await sealing).toEqual({ rows: 0, head: undefined });
    await commit();
    expect(await storage.sealAudit(10)).toMatchObject({ rows: 3, head: { position: 3 } });
    expect(await verify(storage)).toMatchObject({ rows: 3, differences: [] });
  });

  it("seals rows on both sides of a large gap in the positions", async () => {
    const url = await createTestDatabase();
    const storage = await openStorage({ url });
    await append(storage, rowOf("a"), rowOf("b"));
    await runSql(url, "SELECT setval('audit_positions', 5000000)");
    await append(storage, rowOf("a"), rowOf("b"));
    expect((await storage.sealAudit(3)).rows).toBe(3);
    expect((await storage.sealAudit(3)).rows).toBe(1);
    expect(await verify(storage)).toMatchObject({ rows: 4, differences: [] });
  });

  it("loses nothing when the connections of a process end again and again while it seals", async () => {
    const url = await createTestDatabase();
    const storage = await openStorage({ url });
    for (let n = 0; n < 50; n++) await append(storage, ...Array.from({ length: 10 }, () => rowOf(`tenant-${n % 3}`)));
    let killing = true;
    const killer = (async () => {
      while (killing) await terminate(url);
    })();
    for (let left = 20; left > 0; left--) await storage.sealAudit(20).catch(() => {});
    killing = false;
    await killer;
    await endSessions(url, storage);
    for (let rows = 100; rows === 100; ) ({ rows } = await storage.sealAudit(100));
    expect(await verify(storage)).toMatchObject({ rows: 500, differences: [] });
  });

  it("finds what someone with all rights has changed, and reports a dropped month as not verified", async () => {
    const url = await createTestDatabase();
    const storage = await openStorage({ url });
    const now = Date.now();
    for (let n = 1; n <= 9; n++) {
      await append(storage, rowOf("a", n <= 4 ? 0 : now), rowOf("b", now));
      if (n % 3 === 0) await storage.sealAudit(100);
    }
    expect(await verify(storage)).toMatchObject({ differences: [] });
    await runSql(
      url,
      "ALTER TABLE audit DISABLE TRIGGER audit_stands; UPDATE audit SET principal_id = 'other' WHERE position = 8",
    );
    expect((await verify(storage)).differences).toMatchObject([
      { kind: "rows_changed", subjectTenantId: "b", afterPosition: 6, position: 12 },
    ]);
    await runSql(url, "UPDATE audit SET principal_id = 'principal-1' WHERE position = 8");
    await runSql(url, "ALTER TABLE audit DETACH PARTITION audit_other_months; DROP TABLE audit_other_months");
    expect(await verify(storage)).toMatchObject({ differences: [], absentMonths: [{ month: "1970-01", rows: 4 }] });
  });
});
