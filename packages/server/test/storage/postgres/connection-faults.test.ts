import { describe, expect, it } from "vitest";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { fakeClock } from "../../../src/testing/fake-clock.js";
import { createDeviceFixture } from "../../../src/testing/storage-suite/device-fixture.js";
import { itemRef, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { startFaultyProxy } from "./testing/faulty-proxy.js";
import { openFaultyStorage, unavailable } from "./testing/faulty-storage.js";
import { contentKey } from "./testing/open-storages.js";

const commit = "platform_commit";
const load = "platform_load";

describe("a connection that is lost before the commit was sent", () => {
  it.each(["cut before", "cut after"] as const)(
    "while a read is in flight (%s), the read is repeated",
    async (fault) => {
      const { proxy, fixture } = await openFaultyStorage();
      const cut = proxy.inject(load, fault);
      const removed = fixture.remove(itemRef("item-1"), 1);
      await cut;
      expect(await removed).toMatchObject({ outcome: { ok: true }, sequence: 2 });
    },
  );

  it.each(["platform_unsealed_audit", "platform_read_audit", "platform_list_audit"])(
    "while the audit trail is read by %s, the read is repeated",
    async (name) => {
      const { proxy, storage } = await openFaultyStorage();
      const cut = proxy.inject(name, "cut after");
      const sealed = await storage.sealAudit(10);
      const { entries } = await storage.readAudit(0, 10);
      const { rows } = await storage.listAudit({ tenantId, limit: 10 });
      await cut;
      expect(sealed.rows).toBeGreaterThan(0);
      expect(entries.filter((entry) => !("trail" in entry))).toHaveLength(sealed.rows);
      expect(rows).toHaveLength(sealed.rows);
    },
  );
});

describe("a connection that is lost after the commit was sent", () => {
  it.each([
    ["cut before", [1]],
    ["cut after", [1, 2]],
    ["hang before", [1]],
    ["hang after", [1, 2]],
  ] as const)("%s: the deletion is unavailable, and repeating it returns the one deletion", async (fault, written) => {
    const { proxy, fixture, sequences } = await openFaultyStorage({ timeout: 2000 });
    const cut = proxy.inject(commit, fault);
    await expect(fixture.remove(itemRef("item-1"), 1)).rejects.toMatchObject(unavailable);
    await cut;
    expect(await sequences()).toEqual(written);
    expect((await fixture.remove(itemRef("item-1"), 1)).outcome).toMatchObject({ ok: true, item: { version: 2 } });
    expect(await sequences()).toEqual([1, 2]);
  });

  it.each(["cut before", "cut after"] as const)(
    "%s: the exchange is unavailable, and repeating it with its Idempotency-Key returns the one grant",
    async (fault) => {
      const { url, proxy, storage } = await openFaultyStorage();
      const devices = createDeviceFixture(storage, fakeClock());
      await devices.setUp();
      await devices.start("code-1");
      await devices.answer("user-code-1");
      const cut = proxy.inject(commit, fault);
      await expect(devices.exchange("code-1", { key: "key-hash" })).rejects.toMatchObject(unavailable);
      await cut;
      const repeated = await devices.exchange("code-1", { key: "key-hash" });
      expect(repeated).toMatchObject({ ok: true, status: "approved" });
      expect(await devices.exchange("code-1", { key: "key-hash" })).toEqual(repeated);
      expect(await runSql(url, "SELECT key FROM records WHERE collection = 'grant'")).toEqual([
        { key: fault === "cut after" ? "grant-1" : "grant-2" },
      ]);
    },
  );

  it("ends only the calls of its batch", async () => {
    const { proxy, fixture, sequences } = await openFaultyStorage();
    await fixture.createVault("vault-2");
    const hung = proxy.inject(commit, "hang after");
    const removed = fixture.remove(itemRef("item-1"), 1);
    const failed = expect(removed).rejects.toMatchObject(unavailable);
    await hung;
    await fixture.put(itemRef("item-2", "vault-2"), "a", 0);
    await proxy.cutAll();
    await failed;
    expect(await sequences()).toEqual([1, 2]);
  });
});

describe("a server that cannot be reached", () => {
  const states = ["reset", { sqlState: "57P03" }, { sqlState: "53300" }] as const;

  it.each(states)("is waited for while it starts, is overloaded or resets connections: %o", async (state) => {
    const { proxy, fixture } = await openFaultyStorage();
    proxy.receive(state);
    await proxy.cutAll();
    const removed = fixture.remove(itemRef("item-1"), 1);
    await new Promise((resolve) => setImmediate(resolve));
    proxy.receive("forward");
    expect(await removed).toMatchObject({ outcome: { ok: true }, sequence: 2 });
  });

  it.each(states)("fails calls as unavailable after a while, and check at once: %o", async (state) => {
    const { proxy, storage, fixture } = await openFaultyStorage({ retryFor: 100 });
    proxy.receive(state);
    await proxy.cutAll();
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    await expect(fixture.remove(itemRef("item-1"), 1)).rejects.toMatchObject(unavailable);
    proxy.receive("forward");
    await storage.check();
    expect(await fixture.remove(itemRef("item-1"), 1)).toMatchObject({ sequence: 2 });
  });

  it("check fails after its timeout on a connection that is half-open, and succeeds on a new one", async () => {
    const { proxy, storage } = await openFaultyStorage({ timeout: 2000, retryFor: 100 });
    const hung = proxy.inject("transaction_read_only", "hang after");
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    await hung;
    await storage.check();
  });

  it.each(["28P01", "3D000"])(
    "fails the start at once if it refuses the credentials or the database: %s",
    async (code) => {
      const proxy = await startFaultyProxy(await createTestDatabase());
      proxy.receive({ sqlState: code });
      const opening = createPostgresStorage({ url: proxy.url, contentKey, retryFor: 3_600_000 });
      await expect(opening).rejects.toMatchObject({ ...unavailable, cause: { code } });
    },
  );
});
