import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { listChanges } from "../../../src/services/items.js";
import { readAccess } from "../../../src/services/read-access.js";
import { beginPostgresEpoch } from "../../../src/storage/postgres/begin-epoch.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { createDeviceFixture, resultOf } from "../../../src/testing/storage-suite/device-fixture.js";
import {
  createFixture,
  itemRef,
  oauthClientId,
  principalId,
  tenantId,
} from "../../../src/testing/storage-suite/fixture.js";
import { get as getRecord, put as putRecord, recordOf } from "../../../src/testing/storage-suite/records.js";
import { openStorage } from "./testing/open-storages.js";

/** The programs of PostgreSQL 15 in Debian. The npm package has no pg_basebackup. */
const programs = "/usr/lib/postgresql/15/bin";
const now = Date.UTC(2026, 10, 22);
const vaultId = "vault-1";

async function open(url: string, series: string) {
  const storage = await openStorage({ url });
  const fixture = createFixture(storage);
  return {
    ...fixture,
    storage,
    devices: createDeviceFixture(storage, fixture.clock, series),
    pull: (afterSequence: number) => listChanges(storage, { tenantId, vaultId, afterSequence, limit: 500 }),
    revoked: async (grantId: string, tokenId: string) =>
      (await readAccess(storage, { tenantId, principalId, oauthClientId, tokenId, grantId })).revoked,
  };
}

describe("beginPostgresEpoch", () => {
  it("raises sequences and versions above the gap, ends credentials, and records the epoch", async () => {
    const url = await createTestDatabase();
    const before = await open(url, "a");
    await before.createVault();
    await before.put(itemRef("item-1"), "a", 0);
    await before.put(itemRef("item-2"), "b", 0);
    await before.remove(itemRef("item-1"), 1);
    await before.devices.setUp();
    await before.devices.start("pending");
    await before.devices.start("consumed");
    await before.devices.answer("user-consumed");
    expect(resultOf(await before.devices.exchange("consumed"))).toBe("approved");
    await putRecord(before.storage, recordOf("session", { expiresAt: now + 1 }));
    await putRecord(before.storage, recordOf("account"));
    await expect(beginPostgresEpoch({ url, now, gap: 1000 })).rejects.toMatchObject({ reason: "in_use" });
    await before.storage.close();

    expect(await beginPostgresEpoch({ url, now, gap: 1000 })).toMatchObject({ number: 1, gap: 1000 });
    const after = await open(url, "b");
    expect(await after.find(itemRef("item-2"))).toMatchObject({ version: 1004, sequence: 1004, state: "live" });
    expect(await after.find(itemRef("item-1"))).toMatchObject({ version: 1004, sequence: 1005, state: "deleted" });
    expect(await after.pull(2)).toMatchObject({
      ok: true,
      items: [{ itemId: "item-2" }, { itemId: "item-1" }],
      sequence: 1005,
    });
    expect(await after.pull(500)).toMatchObject({ ok: false, reason: "CURSOR_AHEAD" });
    expect((await after.remove(itemRef("item-2"), 1)).outcome).toMatchObject({ ok: false, reason: "VERSION_CONFLICT" });
    expect(await after.put(itemRef("item-2"), "c", 1004)).toMatchObject({ sequence: 1006 });
    expect(await after.revoked("grant-a1", "access-a1")).toBe(true);
    expect(resultOf(await after.devices.exchange("pending"))).toBe("DEVICE_CODE_INVALID");
    expect(await getRecord(after.storage, "session", now)).toBeUndefined();
    expect(await getRecord(after.storage, "account", now)).toMatchObject({ revision: 1 });
    await after.createVault("vault-2");
    expect(await after.put(itemRef("item-1", "vault-2"), "d", 0)).toMatchObject({
      sequence: 1001,
      outcome: { item: { version: 1001 } },
    });
    const audit = await runSql(url, "SELECT event FROM audit WHERE operation = 'restore'");
    expect(audit).toEqual([{ event: "restored: a new epoch" }]);
    await after.storage.close();
    expect(await beginPostgresEpoch({ url, now, gap: 7 })).toMatchObject({ number: 2 });
  });

  it("waits for a connection that is about to be closed", async () => {
    const url = await createTestDatabase();
    const closing = new pg.Client({ connectionString: url, application_name: "platform" });
    await closing.connect();
    const beginning = beginPostgresEpoch({ url, now });
    setTimeout(() => closing.end(), 500);
    expect(await beginning).toMatchObject({ number: 1 });
  });

  it("changes nothing if a vault would have no sequences left", async () => {
    const url = await createTestDatabase();
    const { createVault, storage } = await open(url, "a");
    await createVault();
    await storage.close();
    await expect(beginPostgresEpoch({ url, now, gap: 2 ** 32 })).rejects.toMatchObject({
      reason: "exhausted",
      message: /The vault vault-1 of the tenant tenant-1 would have no sequences left/,
    });
    expect(await runSql(url, "SELECT floor::integer FROM vaults")).toEqual([{ floor: 0 }]);
    expect(await runSql(url, "SELECT * FROM epochs")).toEqual([]);
  });

  it.skipIf(!existsSync(programs))(
    "after a point-in-time restore, cursors and versions of the lost history are rejected",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "archive-"));
      chmodSync(folder, 0o777);
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const settings = { archive_mode: "on", archive_command: `cp %p ${folder}/%f`, wal_level: "replica" };
      const primary = await startPostgres({ programs, settings });
      const before = await open(primary.url, "a");
      await before.createVault();
      await before.put(itemRef("item-1"), "a", 0);
      const backup = join(folder, "base");
      const copying = promisify(execFile)(join(programs, "pg_basebackup"), [
        ...["--dbname", primary.url, "--pgdata", backup, "--checkpoint", "fast", "--wal-method", "stream"],
      ]);
      // The app serves while the backup is made.
      await before.put(itemRef("item-2"), "b", 0);
      await copying;
      await before.put(itemRef("item-3"), "c", 0);
      await runSql(primary.url, "SELECT pg_create_restore_point('noon')");
      const lost = await before.put(itemRef("item-4"), "d", 0);
      await before.put(itemRef("item-1"), "lost", 1);
      await before.storage.close();
      await runSql(primary.url, "SELECT pg_switch_wal()");
      await expect
        .poll(() =>
          runSql(
            primary.url,
            "SELECT last_archived_wal IS NOT NULL AS done, last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) AS all FROM pg_stat_archiver",
          ),
        )
        .toEqual([{ done: true, all: true }]);
      await primary.stop();

      const restored = await startPostgres({
        programs,
        backup,
        settings: {
          restore_command: `cp ${folder}/%f %p`,
          recovery_target_name: "noon",
          recovery_target_action: "promote",
        },
      });
      onTestFinished(restored.stop);
      const recovering = () => runSql(restored.url, "SELECT pg_is_in_recovery() AS recovering");
      await expect.poll(recovering).toEqual([{ recovering: false }]);
      const { gap } = await beginPostgresEpoch({ url: restored.url, now });
      expect(gap).toBeGreaterThan(2 ** 24);
      const after = await open(restored.url, "b");
      expect(await after.find(itemRef("item-4"))).toBeUndefined();
      expect(await after.find(itemRef("item-1"))).toMatchObject({
        version: gap + 4,
        encryptedPayload: { ciphertext: "a" },
      });
      expect(await after.pull(lost.sequence ?? 0)).toMatchObject({ ok: false, reason: "CURSOR_AHEAD" });
      expect(await after.pull(3)).toMatchObject({ ok: true, items: { length: 3 } });
      expect((await after.put(itemRef("item-1"), "stale", 2)).outcome).toMatchObject({ reason: "VERSION_CONFLICT" });
      expect(await after.put(itemRef("item-4"), "e", 0)).toMatchObject({ sequence: gap + 7 });
    },
  );
});
