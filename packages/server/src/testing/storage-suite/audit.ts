import { describe, expect, it } from "vitest";
import type { AuditRow, AuditSeal } from "../../domain/model/audit-seal.js";
import type { Storage } from "../../ports/storage.js";
import { actor, auditOf, itemRef, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { verifyTrail } from "./verify-trail.js";

const november = Date.UTC(2026, 10, 30, 23, 59, 59, 999);

const rowOf = (subject: string, at = november, subjectTenantId = tenantId) => auditOf({ subject, at, subjectTenantId });

/** Seals all rows, in rounds. Returns the number of rows of each round. */
async function sealAll(storage: Storage, limit = 100): Promise<number[]> {
  const rounds: number[] = [];
  for (;;) {
    const { rows } = await storage.sealAudit(limit);
    rounds.push(rows);
    if (rows < limit) return rounds;
  }
}

async function readAll(storage: Storage, limit = 100) {
  const entries: (AuditRow | AuditSeal)[] = [];
  for (let position = 0; ; ) {
    const page = await storage.readAudit(position, limit);
    entries.push(...page.entries);
    position = page.position;
    if (!page.hasMore) return { entries, unsealed: page.unsealed };
  }
}

const intact = { differences: [], differenceCount: 0, absentMonths: [], missingHeads: [] };

async function listAll(storage: Storage, limit: number, tenant = tenantId) {
  const rows: AuditRow[] = [];
  for (let before: number | undefined; ; ) {
    const page = await storage.listAudit({ tenantId: tenant, before, limit });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    if (page.next === undefined) return rows;
    before = page.next;
  }
}

export function describeAudit(harness: Harness): void {
  describe("listAudit: the rows of a tenant, the newest first", () => {
    it("lists each row of the tenant once, in pages of any size, also before it is sealed", async () => {
      const { storage, write } = await harness.open();
      for (let n = 0; n < 30; n++) await write(rowOf(`${n}`, november + n, n % 5 === 0 ? tenantId : "tenant-2"));
      await storage.sealAudit(10);
      for (const limit of [1, 2, 5, 6, 100]) {
        const rows = await listAll(storage, limit);
        expect(rows.map(({ subject }) => subject)).toEqual(["25", "20", "15", "10", "5", "0"]);
      }
      expect(await listAll(storage, 7, "tenant-2")).toHaveLength(24);
      expect(await listAll(storage, 1, "tenant-3")).toEqual([]);
      const [row] = await listAll(storage, 100);
      const { entries } = await storage.readAudit(0, 100);
      expect(Object.keys(row ?? {}).toSorted()).toEqual(Object.keys(entries[0] ?? {}).toSorted());
    });
  });

  describe("sealAudit and readAudit: link the audit trail in hash chains", () => {
    it("links the rows of each tenant with the documented digests, one seal for each tenant, month and round", async () => {
      const { storage, write } = await harness.open();
      await write(rowOf("a"));
      await write(rowOf("b", november, "tenant-2"), rowOf('c\u007f\u2028"é😀'));
      await write(rowOf("d", november + 1));
      expect(await storage.sealAudit(9)).toMatchObject({ rows: 4, head: { position: 4 } });
      const { entries, unsealed } = await readAll(storage);
      expect(unsealed).toBe(0);
      expect(entries.map((entry) => ("trail" in entry ? `seal ${entry.position}` : entry.subject))).toEqual([
        "a",
        "b",
        "seal 2",
        'c\u007f\u2028"é😀',
        "seal 3",
        "d",
        "seal 4",
      ]);
      expect(entries[0]).toEqual({
        ...actor,
        position: 1,
        at: november,
        subjectTenantId: tenantId,
        subject: "a",
        event: "tested",
        versionBefore: 0,
        versionAfter: 1,
      });
      const [other, first, next] = entries.filter((entry) => "trail" in entry);
      // SHA-256 over 32 zero bytes and the line of the row "b"; then over 32 zero bytes, this digest, and "2026-11 1".
      const digest = "6baedd38105fa6c40b7d4534e0bd2b4c50f5863afe05606bec92514a076a48ff";
      const trail = "64ba73deaa803eaf092e412baff146cc85bd41b9500d91c6362d6baad687d45b";
      expect(other).toMatchObject({ subjectTenantId: "tenant-2", rows: 1, digest, trail, previousPosition: 0 });
      expect(first).toMatchObject({ subjectTenantId: tenantId, rows: 2, month: "2026-11", previousTrail: trail });
      expect(next).toEqual({
        subjectTenantId: tenantId,
        previousPosition: 3,
        position: 4,
        rows: 1,
        month: "2026-12",
        previousDigest: first?.digest,
        digest: "7ff357b9e71c3d9e398ce041ff9136eb03e8138a72b51fd2b4d1ec1fda789271",
        previousTrail: first?.trail,
        trail: "0833661aaef4fc41d4dd3612ddd174e95499b26ed304a635388d5561946e411f",
      });
      expect(await verifyTrail(storage)).toMatchObject(intact);
    });

    it("seals at most the limit, and the digests do not depend on the rounds", async () => {
      const digests = new Set<string>();
      for (const limit of [1, 3, 100]) {
        const { storage, write } = await harness.open();
        for (let n = 0; n < 7; n++) await write(rowOf(`${n}`), rowOf(`${n}`, november, `tenant-${n % 3}`));
        expect(await readAll(storage)).toEqual({ entries: [], unsealed: 14 });
        expect((await storage.sealAudit(limit)).rows).toBe(Math.min(limit, 14));
        await sealAll(storage, limit);
        const { tenants, ...rest } = await verifyTrail(storage);
        expect(rest).toMatchObject(intact);
        expect(tenants.reduce((sum, { rows }) => sum + rows, 0)).toBe(14);
        digests.add(JSON.stringify(tenants));
        expect((await readAll(storage, 2)).entries).toEqual((await readAll(storage, 50)).entries);
      }
      expect(digests.size).toBe(1);
    });

    it("continues the chains after more rows, after a new start, after shredding and after a purge", async () => {
      const { storage, reopen, createVault, put, remove, shred, clock } = await harness.open();
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      await sealAll(storage);
      const kept = await verifyTrail(storage);
      await remove(itemRef("item-1"), 1);
      clock.advance(30 * 24 * 60 * 60 * 1000);
      expect(await shred(itemRef("item-1"))).toBe(true);
      await storage.purge(clock.now(), 9);
      await storage.close();
      const reopened = await reopen();
      await sealAll(reopened);
      const heads = [kept.head?.trail ?? "none", ...kept.tenants.map(({ digest }) => digest)];
      const result = await verifyTrail(reopened, heads);
      expect(result).toMatchObject({ ...intact, tenants: [{ subjectTenantId: tenantId, rows: 3 }] });
      expect(await verifyTrail(reopened, ["f".repeat(64)])).toMatchObject({ missingHeads: ["f".repeat(64)] });
    });

    it("seals each row once while rows are written and several jobs seal", async () => {
      const { storage, write } = await harness.open();
      const writes = Array.from({ length: 60 }, (_, n) => write(rowOf(`${n}`, november, `tenant-${n % 5}`)));
      const rounds = Array.from({ length: 8 }, () => storage.sealAudit(5));
      await Promise.all([...writes, ...rounds]);
      await sealAll(storage, 7);
      const result = await verifyTrail(storage);
      expect(result).toMatchObject(intact);
      expect(result.tenants.map(({ rows }) => rows)).toEqual([12, 12, 12, 12, 12]);
    });
  });
}
