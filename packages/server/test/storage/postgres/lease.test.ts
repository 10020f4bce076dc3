import { describe, expect, it } from "vitest";
import { runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { openStorages } from "./testing/open-storages.js";

/** Lets the life of all leases pass. */
const expire = (url: string) => runSql(url, "UPDATE leases SET until = until - 10001");

describe("a lease", () => {
  it("is held by one of the processes that ask at the same time, which keeps it", async () => {
    const { storages } = await openStorages(4);
    const leases = storages.map((storage) => storage.lease("jobs"));
    const first = await Promise.all(leases.map((lease) => lease.hold()));
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await Promise.all(leases.map((lease) => lease.hold()))).toEqual(first);
    expect(await storages[0]?.lease("other").hold()).toBe(true);
  });

  it("is taken over 10 s after its holder was killed", async () => {
    const { url, storages } = await openStorages(2);
    const [holder, other] = storages.map((storage) => storage.lease("jobs"));
    expect([await holder?.hold(), await other?.hold()]).toEqual([true, false]);
    await expire(url);
    expect(await other?.hold()).toBe(true);
  });

  it("can be taken at once after it was released, which only the holder can do", async () => {
    const { storages } = await openStorages(2);
    const [holder, other] = storages.map((storage) => storage.lease("jobs"));
    expect(await holder?.hold()).toBe(true);
    await other?.release();
    expect(await other?.hold()).toBe(false);
    await holder?.release();
    expect(await other?.hold()).toBe(true);
  });

  it("can be taken when the clock of the server was set back", async () => {
    const { url, storages } = await openStorages(2);
    const [holder, other] = storages.map((storage) => storage.lease("jobs"));
    await holder?.hold();
    await runSql(url, "UPDATE leases SET until = until + 3600000");
    expect(await other?.hold()).toBe(true);
  });
});
