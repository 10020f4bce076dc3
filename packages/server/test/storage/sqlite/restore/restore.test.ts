import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { readAccess } from "../../../../src/services/read-access.js";
import { backUpSqliteDatabase } from "../../../../src/storage/sqlite/backup/back-up-database.js";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { DatabaseInUseError } from "../../../../src/storage/sqlite/database/open-errors.js";
import { restoreSqliteBackup, restoring } from "../../../../src/storage/sqlite/restore/restore-backup.js";
import { flipText } from "../../../../src/storage/sqlite/testing/damage-file.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { createDeviceFixture, resultOf } from "../../../../src/testing/storage-suite/device-fixture.js";
import {
  actor,
  createFixture,
  itemRef,
  oauthClientId,
  principalId,
  tenantId,
} from "../../../../src/testing/storage-suite/fixture.js";
import { get as getRecord, put as putRecord, recordOf } from "../../../../src/testing/storage-suite/records.js";

const now = Date.UTC(2026, 10, 21, 12);

function open(path: string) {
  const storage = createSqliteStorage({ path });
  onTestFinished(() => storage.close());
  const fixture = createFixture(storage);
  return { storage, ...fixture, devices: createDeviceFixture(storage, fixture.clock, String(Math.random())) };
}

/** Creates a database with one item at version 1, and a backup of it. */
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

const list = (storage: Storage, afterSequence: number, vaultId = "vault-1") =>
  storage.listChanges({ tenantId, vaultId, afterSequence, limit: 9 });

describe("a restored backup begins a new epoch", () => {
  it("continues above every sequence and version of the replaced database, with the item as a new change", async () => {
    const { path, backup, put, remove, storage } = await backedUp();
    await put(itemRef("item-1"), "b", 1);
    await remove(itemRef("item-1"), 2);
    await storage.close();
    const restored = restoreSqliteBackup({ backup, path, now, gap: 1 });
    expect(restored).toMatchObject({ number: 1, gap: 1, replaced: `${path}.replaced-20261121T120000.000Z` });
    const after = open(path);
    // The replaced database was at 3. Sequence 4 stays unused, as the head of an empty vault.
    expect(await after.find(itemRef("item-1"))).toMatchObject({ version: 5, sequence: 5, state: "live" });
    expect((await after.put(itemRef("item-1"), "c", 5)).sequence).toBe(6);
    expect((await after.remove(itemRef("item-1"), 1)).outcome).toMatchObject({ reason: "VERSION_CONFLICT" });
  });

  it("keeps the deletions of the backup: they can be restored, and are due for shredding", async () => {
    const { path, storage, put, remove } = await backedUp();
    await put(itemRef("deleted"), "a", 0);
    await remove(itemRef("deleted"), 1);
    await put(itemRef("last"), "a", 0);
    const backup = join(dirname(temporaryPath()), "backup");
    await storage.backUp(backup);
    await storage.close();
    restoreSqliteBackup({ backup, path, now, gap: 10 });
    const after = open(path);
    expect(await after.find(itemRef("deleted"))).toMatchObject({ version: 15, sequence: 16, state: "deleted" });
    const listed = (await list(after.storage, 0)).items.map(({ itemId, sequence }) => [itemId, sequence]);
    expect(listed).toEqual([
      ["item-1", 15],
      ["deleted", 16],
      ["last", 17],
    ]);
    expect(await after.storage.listShreddable(Number.MAX_SAFE_INTEGER, 9)).toEqual([itemRef("deleted")]);
    expect(await after.restore(itemRef("deleted"), 15)).toMatchObject({ outcome: { ok: true }, sequence: 18 });
  });

  it("continues above its own head by the gap when there is no database to replace", async () => {
    const { path, backup, storage } = await backedUp();
    await storage.close();
    const elsewhere = join(dirname(temporaryPath()), "platform.db");
    expect(restoreSqliteBackup({ backup, path: elsewhere, now, gap: 1_000 }).replaced).toBeUndefined();
    expect((await list(open(elsewhere).storage, 0)).head).toBe(1_002);
    expect(existsSync(path)).toBe(true);
  });

  it("skips at least 2^24 sequences, plus 100 for each second since the backup", async () => {
    const { path, backup, storage, clock } = await backedUp();
    await storage.close();
    const hour = 60 * 60;
    const { gap, backupAt } = restoreSqliteBackup({ backup, path, now: clock.now() + hour * 1000 });
    expect(backupAt).toBe(clock.now());
    expect(gap).toBeGreaterThanOrEqual(2 ** 24 + hour * 100);
    expect(gap).toBeLessThan(2 ** 25 + hour * 100);
  });

  it("remembers what earlier epochs assigned to a vault that a restore in between has removed", async () => {
    const { path, backup, createVault, put, storage } = await backedUp();
    await createVault("vault-2");
    await put(itemRef("item-1", "vault-2"), "lost", 0);
    const later = temporaryPath();
    await storage.backUp(later);
    for (const version of [1, 2]) await put(itemRef("item-1", "vault-2"), "lost", version);
    await storage.close();
    restoreSqliteBackup({ backup, path, now, gap: 1 });
    restoreSqliteBackup({ backup, path, now: now + 1, gap: 1 });
    const recreated = open(path);
    await recreated.createVault("vault-2");
    expect(await recreated.put(itemRef("item-1", "vault-2"), "new", 0)).toMatchObject({ sequence: 5 });
    await recreated.storage.close();
    restoreSqliteBackup({ backup, path, now: now + 2, gap: 1 });
    restoreSqliteBackup({ backup: later, path, now: now + 3, gap: 1 });
    const listed = await list(open(path).storage, 0, "vault-2");
    expect(listed.head).toBeGreaterThan(5);
  });

  it("expires the records that expire, because they may have been removed since, and keeps all others", async () => {
    const path = temporaryPath();
    const { storage } = open(path);
    await putRecord(storage, recordOf("session", { expiresAt: now + 1 }));
    await putRecord(storage, recordOf("account"));
    await storage.backUp(`${path}.backup`);
    await storage.close();
    restoreSqliteBackup({ backup: `${path}.backup`, path, now });
    const after = open(path).storage;
    expect(await getRecord(after, "session", now)).toBeUndefined();
    expect(await getRecord(after, "account", now)).toMatchObject({ revision: 1 });
    expect(await putRecord(after, recordOf("session"), 0, now)).toMatchObject({ ok: true, record: { revision: 3 } });
  });

  it("revokes the grants of the backup, and audits the restore", async () => {
    const path = temporaryPath();
    const { storage, devices } = open(path);
    await devices.setUp();
    await devices.start("code");
    await devices.answer("user-code");
    const outcome = await devices.exchange("code", { key: "key" });
    if (!outcome.ok || outcome.status !== "approved") throw new Error("not approved");
    const access = { ...actor, tenantId, principalId, oauthClientId, tokenId: outcome.grant.accessTokenId };
    const read = (of: Storage) => readAccess(of, { ...access, grantId: outcome.grant.grantId });
    expect((await read(storage)).revoked).toBe(false);
    await storage.backUp(`${path}.backup`);
    await storage.close();
    restoreSqliteBackup({ backup: `${path}.backup`, path, now });
    const after = open(path);
    expect((await read(after.storage)).revoked).toBe(true);
    expect(resultOf(await after.devices.exchange("code", { key: "key" }))).toBe("DEVICE_CODE_INVALID");
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

  it("ends pending and approved codes, so that one denied or consumed since never becomes valid again", async () => {
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
    expect(resultOf(await after.exchange("pending"))).toBe("DEVICE_CODE_INVALID");
    expect(resultOf(await after.exchange("approved"))).toBe("DEVICE_CODE_INVALID");
    expect(await after.answer("user-pending")).toMatchObject({ ok: false, reason: "USER_CODE_INVALID" });
  });
});

describe("a backup is not restored, and no file changes", () => {
  const changeRecord = (file: string) => {
    const database = new DatabaseSync(file);
    database.exec("INSERT INTO records VALUES ('t-1', 'session', 'key-1', 'p-1', '', '{}', 1, 0, NULL, 7)");
    database.close();
  };
  const versioned = (version: number) => (file: string) => {
    const database = new DatabaseSync(file);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };
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
    ["is not a database", (file: string) => writeFileSync(file, "x".repeat(5_000)), /not a backup of a platform/],
    [
      "is another program's database",
      (file: string) => new DatabaseSync(file).exec("CREATE TABLE a (x)"),
      /not a backup of a platform/,
    ],
    ["has the schema version 0", versioned(0), /has the tables of a platform, but the schema version 0/],
    ["was made by a newer version", versioned(4711), /A newer version of the program wrote it/],
    ["is cut short", (file: string) => truncateSync(file, statSync(file).size - 3_000), /is damaged/],
    ["contains a content with a flipped bit", (file: string) => flipText(file, "nonce-a"), /is damaged/],
    ["contains a record with a wrong checksum", changeRecord, /is damaged/],
    [
      "was copied with its log from a database in use",
      (file: string) => writeFileSync(`${file}-wal`, "log"),
      /SQLite log next to it/,
    ],
  ])("when the file %s; nor is it the database of a new backup", async (title, spoil, message) => {
    const { path, folder, backup, storage } = await backedUp();
    await storage.close();
    const file = join(folder, "spoiled");
    if (!/exist|empty|not a database|another/.test(title)) execFileSync("cp", [backup, file]);
    spoil(file);
    const before = files(folder);
    expect(() => restoreSqliteBackup({ backup: file, path, now })).toThrow(message);
    expect(files(folder)).toEqual(before);
    // In use, a database may have a log.
    if (/log/.test(title)) return;
    await expect(backUpSqliteDatabase(file, join(folder, "again"))).rejects.toThrow();
    expect(existsSync(join(folder, "again"))).toBe(false);
  });

  it("when it is the database itself", async () => {
    const { path, storage } = await backedUp();
    await storage.close();
    expect(() => restoreSqliteBackup({ backup: path, path, now })).toThrow(/is the database itself/);
  });

  it("when existing or new vaults would have no sequences left; a smaller gap works", async () => {
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

it("a restored database is private from the start, even if others can read the backup", async () => {
  const { path, backup, storage } = await backedUp();
  await storage.close();
  chmodSync(backup, 0o644);
  const modes: number[] = [];
  for (const step of restoring({ backup, path, now })) {
    if (step === "copied") modes.push(statSync(`${path}.restoring`).mode & 0o777);
  }
  modes.push(statSync(path).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});

describe("the replaced database", () => {
  it("is kept in the same folder, private and complete", async () => {
    const { path, folder, backup, put, storage } = await backedUp();
    await put(itemRef("item-2"), "b", 0);
    await storage.close();
    const { replaced = "" } = restoreSqliteBackup({ backup, path, now });
    expect(readdirSync(folder).sort()).toEqual([backup, path, replaced].map((file) => basename(file)).sort());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(replaced).mode & 0o777).toBe(0o600);
    expect(await open(replaced).find(itemRef("item-2"))).toMatchObject({ version: 1 });
  });

  it("does not pass its log on to the restored one, even if a killed process or another file left the log", async () => {
    const { path, folder, backup, put, storage } = await backedUp();
    await put(itemRef("item-2"), "b", 0);
    const killed = join(folder, "killed");
    const foreign = join(folder, "foreign");
    for (const each of [killed, foreign]) {
      mkdirSync(each);
      execFileSync("cp", [path, `${path}-wal`, each]);
    }
    await storage.close();
    // Copies an older file over the database, next to the newer log.
    execFileSync("cp", [backup, join(foreign, "platform.db")]);
    for (const each of [killed, foreign]) {
      restoreSqliteBackup({ backup, path: join(each, "platform.db"), now });
      expect(existsSync(join(each, "platform.db-wal"))).toBe(false);
      const after = open(join(each, "platform.db"));
      expect(await after.find(itemRef("item-1"))).toMatchObject({ state: "live" });
      expect(await after.find(itemRef("item-2"))).toBeUndefined();
    }
    // The kept file contains the commits of the killed process.
    expect(await open(join(killed, "platform.db.replaced-20261121T120000.000Z")).find(itemRef("item-2"))).toBeDefined();
  });

  it("is kept even if it is too damaged to be read", async () => {
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
