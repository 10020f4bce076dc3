import { describe, expect, it } from "vitest";
import { refOf } from "../../../src/ports/storage.js";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { auditOf } from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../src/testing/storage-suite/rules.js";
import { holdLock } from "./testing/faulty-storage.js";
import { openStorages } from "./testing/open-storages.js";

const day = 24 * 60 * 60 * 1000;

/** Returns the name of the partition of a month: 0 is the current month, in UTC. */
function partitionOf(months: number): string {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
  return `audit_${month.toISOString().slice(0, 7).replace("-", "_")}`;
}

async function partitions(url: string): Promise<unknown[]> {
  const sql = "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit'::regclass ORDER BY 1";
  return (await runSql(url, sql)).map(({ name }) => name);
}

const expected = [...[0, 1, 2, 3, 4, 5, 6].map(partitionOf), "audit_other_months"];

describe("the audit trail is partitioned by month", () => {
  it("has partitions for this month and the next six, and one for all others", async () => {
    const { url } = await openStorages(1);
    expect(await partitions(url)).toEqual(expected);
  });

  it("stores a record in the partition of its month, and reads all of them as one table in the order of the commits", async () => {
    const { url, storages } = await openStorages(1);
    const times = [Date.now(), 0, Date.now() + 40 * day, Date.UTC(2100, 0)];
    for (const at of times) await storages[0]?.transact(refOf(), commitWrites([auditOf({ at })]));
    const rows = await runSql(url, "SELECT tableoid::regclass::text AS name, at FROM audit ORDER BY position");
    expect(rows.map(({ at }) => Number(at))).toEqual(times);
    const next = new Date(Date.now() + 40 * day).toISOString().slice(0, 7).replace("-", "_");
    const names = [partitionOf(0), "audit_other_months", `audit_${next}`, "audit_other_months"];
    expect(rows.map(({ name }) => name)).toEqual(names);
  });

  it.each([partitionOf(0), "audit_other_months", "audit"])("rejects changes of the rows of %s", async (table) => {
    const { url, storages } = await openStorages(1);
    const at = table === "audit_other_months" ? 0 : Date.now();
    await storages[0]?.transact(refOf(), commitWrites([auditOf({ at })]));
    await expect(runSql(url, `UPDATE ${table} SET event = 'other'`)).rejects.toThrow("never changed or removed");
    await expect(runSql(url, `DELETE FROM ${table}`)).rejects.toThrow("never changed or removed");
  });

  it("creates missing partitions with each purge, once, however many processes purge", async () => {
    const { url, storages } = await openStorages(3);
    await runSql(url, `DROP TABLE ${partitionOf(5)}; DROP TABLE ${partitionOf(6)}`);
    await Promise.all(storages.map((storage) => storage.purge(0, 9)));
    expect(await partitions(url)).toEqual(expected);
  });

  it("leaves a month whose rows are with those of other months, and one that is locked", async () => {
    const { url, storages } = await openStorages(1);
    const [storage] = storages;
    const left = expected.filter((name) => name !== partitionOf(1));
    await runSql(url, `DROP TABLE ${partitionOf(1)}`);
    const now = new Date();
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15);
    await storage?.transact(refOf(), commitWrites([auditOf({ at: nextMonth })]));
    expect(await storage?.purge(0, 9)).toBe(0);
    expect(await partitions(url)).toEqual(left);

    await runSql(url, `DROP TABLE ${partitionOf(6)}`);
    const release = await holdLock(url, "LOCK TABLE audit_other_months IN SHARE MODE");
    expect(await storage?.purge(0, 9)).toBe(0);
    expect(await partitions(url)).not.toContain(partitionOf(6));
    await release();
    expect(await storage?.purge(0, 9)).toBe(0);
    expect(await partitions(url)).toContain(partitionOf(6));
  });
});
