import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Storage } from "../../../ports/storage.js";
import { createDeviceFixture, resultOf } from "../../../testing/storage-suite/device-fixture.js";
import {
  actor,
  createFixture,
  itemRef,
  oauthClientId,
  principalId,
  tenantId,
} from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { DatabaseInUseError, DatabaseTooNewError } from "../open-errors.js";
import { flipText } from "../testing/damage-file.js";
import { temporaryPath } from "../testing/temporary-path.js";
import { restoreSqliteBackup } from "./restore-backup.js";

const now = Date.UTC(2026, 10, 21, 12);

function open(path: string) {
  const storage = createSqliteStorage({ path });
  onTestFinished(() => storage.close());
  const fixture = createFixture(storage);
  return { storage, ...fixture, devices: createDeviceFixture(storage, fixture.clock, String(Math.random())) };
}

/** A database with one item at version 1, and a backup of it. */
async function backedUp() {
  const path = temporaryPath();
  const folder = dirname(path);
  const backup = join(folder, "backup");
  const before = open(path);
  await before.createVault();
  await before.put(itemRef("item-1"), "a", 0);
  await before.storage.backUp(backup);
  return { path, folder, backup, ...before };
}

const list = (storage: Storage, afterSequence: number) =>
  storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence, limit: 9 });

describe("a restored backup begins a new epoch", () => {
  it("goes on above every sequence and version of the replaced database; the item is a change of the new epoch", async () => {
    const { path, backup, put, remove, storage } = await backedUp();
    await put(itemRef("item-1"), "b", 1);
    await remove(itemRef("item-1"), 2);
    await storage.close();
    const restored = restoreSqliteBackup({ backup, path, now, gap: 1 });
    expect(restored).toMatchObject({ number: 1, gap: 1, replaced: `${path}.replaced-20261121T120000.000Z` });
    const after = open(path);
    // The replaced database had come to 3; one more stays unused, as the place of an empty vault.
    expect(await after.find(itemRef("item-1"))).toMatchObject({ version: 5, sequence: 5, state: "live" });
    expect((await after.put(itemRef("item-1"), "c", 5)).sequence).toBe(6);
    expect((await after.remove(itemRef("item-1"), 1)).outcome).toMatchObject({ reason: "VERSION_CONFLICT" });
  });

  it("goes on above its own head by the gap when there is no database to replace", async () => {
    const { path, backup, storage } = await backedUp();
    await storage.close();
    const elsewhere = join(dirname(temporaryPath()), "platform.db");
    expect(restoreSqliteBackup({ backup, path: elsewhere, now, gap: 1_000 }).replaced).toBeUndefined();
    expect((await list(open(elsewhere).storage, 0)).head).toBe(1_002);
    expect(existsSync(path)).toBe(true);
  });

  it("skips more the older the backup is: at least 2^24, and 100 for each second", async () => {
    const { path, backup, storage, clock } = await backedUp();
    await storage.close();
    const hour = 60 * 60;
    const { gap, backupAt } = restoreSqliteBackup({ backup, path, now: clock.now() + hour * 1000 });
    expect(backupAt).toBe(clock.now());
    expect(gap).toBeGreaterThanOrEqual(2 ** 24 + hour * 100);
    expect(gap).toBeLessThan(2 ** 25 + hour * 100);
  });

  it("vaults and items that the backup does not know begin above what may have been given out for their ids", async () => {
    const { path, backup, createVault, put, storage } = await backedUp();
    await put(itemRef("item-2"), "lost", 0);
    await createVault("vault-2");
    for (const version of [0, 1, 2]) await put(itemRef("item-1", "vault-2"), "lost", version);
    await storage.close();
    restoreSqliteBackup({ backup, path, now, gap: 1 });
    const after = open(path);
    await after.createVault("vault-2");
    const created = await after.put(itemRef("item-1", "vault-2"), "new", 0);
    expect(created).toMatchObject({ sequence: 5, outcome: { item: { version: 5 } } });
    expect(await after.put(itemRef("item-1", "vault-2"), "new", 0)).toMatchObject({
      outcome: { ok: true },
      sequence: undefined,
    });
    expect(await after.put(itemRef("item-2"), "new", 0)).toMatchObject({
      sequence: 5,
      outcome: { item: { version: 4 } },
    });
    expect(await after.put(itemRef("item-2"), "newer", 4)).toMatchObject({ outcome: { item: { version: 5 } } });
  });

  it("the next restore goes on above all of this", async () => {
    const { path, backup, storage } = await backedUp();
    await storage.close();
    restoreSqliteBackup({ backup, path, now, gap: 1_000 });
    expect(restoreSqliteBackup({ backup, path, now: now + 1, gap: 1 })).toMatchObject({ number: 1 });
    expect((await list(open(path).storage, 0)).head).toBe(1_004);
  });

  it("accepts no token of a grant in the backup, and revokes each in the audit trail's sight", async () => {
    const path = temporaryPath();
    const { storage, devices } = open(path);
    await devices.setUp();
    await devices.start("code");
    await devices.answer("user-code");
    const outcome = await devices.exchange("code", { key: "key" });
    if (!outcome.ok || outcome.status !== "approved") throw new Error("not approved");
    const access = { ...actor, tenantId, principalId, oauthClientId, tokenId: outcome.grant.accessTokenId };
    const read = (of: Storage) => of.readAccess({ ...access, grantId: outcome.grant.grantId });
    expect((await read(storage)).revoked).toBe(false);
    await storage.backUp(`${path}.backup`);
    await storage.close();
    restoreSqliteBackup({ backup: `${path}.backup`, path, now });
    const after = open(path);
    expect((await read(after.storage)).revoked).toBe(true);
    expect(resultOf(await after.devices.exchange("code", { key: "key" }))).toBe("DEVICE_CODE_CONSUMED");
    await after.storage.close();
    const database = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => database.close());
    const newest = database.prepare("SELECT * FROM audit ORDER BY position DESC LIMIT 1").get();
    expect(newest).toMatchObject({
      operation: "restore",
      subject: "database",
      version_before: 0,
      version_after: 1,
      at: now,
    });
  });

  it("burns codes that were pending or approved: one that was denied or consumed since never lives again", async () => {
    const path = temporaryPath();
    const { storage, devices } = open(path);
    await devices.setUp();
    await devices.start("pending");
    await devices.start("approved");
    await devices.answer("user-approved");
    await storage.backUp(`${path}.backup`);
    await devices.answer("user-pending", "deny");
    expect(resultOf(await devices.exchange("approved"))).toBe("approved");
    await storage.close();
    restoreSqliteBackup({ backup: `${path}.backup`, path, now });
    const after = open(path).devices;
    expect(resultOf(await after.exchange("pending"))).toBe("access_denied");
    expect(resultOf(await after.exchange("approved"))).toBe("access_denied");
    expect(await after.answer("user-pending")).toMatchObject({ ok: false, reason: "DEVICE_AUTHORIZATION_DECIDED" });
  });
});

describe("a backup is not restored, and nothing changes", () => {
  const files = (folder: string) => readdirSync(folder).map((file) => [file, statSync(join(folder, file)).size]);

  it("while a process serves the database", async () => {
    const { path, folder, backup } = await backedUp();
    const before = files(folder);
    expect(() => restoreSqliteBackup({ backup, path, now })).toThrow(DatabaseInUseError);
    expect(files(folder)).toEqual(before);
  });

  it.each([
    ["does not exist", () => undefined, /There is no file/],
    ["is empty", (file: string) => writeFileSync(file, ""), /is empty/],
    ["is no database", (file: string) => writeFileSync(file, "x".repeat(5_000)), /no backup of a platform/],
    [
      "is another program's database",
      (file: string) => new DatabaseSync(file).exec("CREATE TABLE a (x)"),
      /no backup of a platform/,
    ],
    ["is cut short", (file: string) => truncateSync(file, statSync(file).size - 3_000), /is damaged/],
    ["contains a content with a flipped bit", (file: string) => flipText(file, "nonce-a"), /is damaged/],
    [
      "was copied with its log from a database in use",
      (file: string) => writeFileSync(`${file}-wal`, "log"),
      /log lies beside it/,
    ],
  ])("when the file %s", async (_, spoil, message) => {
    const { path, folder, backup, storage } = await backedUp();
    await storage.close();
    const file = join(folder, "spoiled");
    if (!/exist|empty|no database|another/.test(_)) execFileSync("cp", [backup, file]);
    spoil(file);
    const before = files(folder);
    expect(() => restoreSqliteBackup({ backup: file, path, now })).toThrow(message);
    expect(files(folder)).toEqual(before);
  });

  it("when it is the database itself, or was made by a newer version", async () => {
    const { path, folder, backup, storage } = await backedUp();
    await storage.close();
    expect(() => restoreSqliteBackup({ backup: path, path, now })).toThrow(/is the database itself/);
    const newer = new DatabaseSync(backup);
    newer.exec("PRAGMA user_version = 4711");
    newer.close();
    const before = files(folder);
    expect(() => restoreSqliteBackup({ backup, path, now })).toThrow(DatabaseTooNewError);
    expect(files(folder)).toEqual(before);
  });

  it("when a vault, or new ones, would have no sequences left; a smaller gap can be given", async () => {
    const { path, folder, backup, storage } = await backedUp();
    await storage.close();
    const before = files(folder);
    expect(() => restoreSqliteBackup({ backup, path, now, gap: 4_294_967_294 })).toThrow(
      /vault-1 .* no sequences left/,
    );
    expect(files(folder)).toEqual(before);
    expect(restoreSqliteBackup({ backup, path, now, gap: 4_294_967_000 }).number).toBe(1);
    const empty = join(folder, "empty");
    const other = open(temporaryPath());
    await other.storage.backUp(empty);
    expect(() => restoreSqliteBackup({ backup: empty, path, now, gap: 4_294_967_295 })).toThrow(
      /New vaults would have/,
    );
  });
});

describe("the database that is replaced", () => {
  it("is kept beside its successor, private and complete", async () => {
    const { path, folder, backup, put, storage } = await backedUp();
    await put(itemRef("item-2"), "b", 0);
    await storage.close();
    const { replaced = "" } = restoreSqliteBackup({ backup, path, now });
    expect(readdirSync(folder).sort()).toEqual([backup, path, replaced].map((file) => basename(file)).sort());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(replaced).mode & 0o777).toBe(0o600);
    expect(await open(replaced).find(itemRef("item-2"))).toMatchObject({ version: 1 });
  });

  it("gives its log to no successor: not what a killed process left, and not one that belongs to another file", async () => {
    const { path, folder, backup, put, storage } = await backedUp();
    await put(itemRef("item-2"), "b", 0);
    const killed = join(folder, "killed");
    const foreign = join(folder, "foreign");
    for (const each of [killed, foreign]) {
      mkdirSync(each);
      execFileSync("cp", [path, `${path}-wal`, each]);
    }
    await storage.close();
    // An older file was copied over the database, beside the newer log.
    execFileSync("cp", [backup, join(foreign, "platform.db")]);
    for (const each of [killed, foreign]) {
      restoreSqliteBackup({ backup, path: join(each, "platform.db"), now });
      expect(existsSync(join(each, "platform.db-wal"))).toBe(false);
      const after = open(join(each, "platform.db"));
      expect(await after.find(itemRef("item-1"))).toMatchObject({ state: "live" });
      expect(await after.find(itemRef("item-2"))).toBeUndefined();
    }
    // What the killed process had committed is in the file that was kept.
    expect(await open(join(killed, "platform.db.replaced-20261121T120000.000Z")).find(itemRef("item-2"))).toBeDefined();
  });

  it("may be damaged beyond reading: it is kept all the same", async () => {
    const { path, folder, backup, storage } = await backedUp();
    await storage.close();
    writeFileSync(path, "damaged".repeat(1_000));
    writeFileSync(`${path}-wal`, "log");
    const { replaced = "" } = restoreSqliteBackup({ backup, path, now });
    expect(readdirSync(folder).filter((file) => file.includes("-wal"))).toEqual([]);
    expect(statSync(replaced).size).toBe(7_000);
    expect(await open(path).find(itemRef("item-1"))).toBeDefined();
  });
});
