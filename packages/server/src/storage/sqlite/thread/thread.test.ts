import { statSync, symlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { deleteItem } from "../../../domain/delete-item.js";
import { refOf } from "../../../ports/storage.js";
import { readAccess } from "../../../services/read-access.js";
import { actor, createFixture, itemRef, revocationOf } from "../../../testing/storage-suite/fixture.js";
import { commitWrites } from "../../../testing/storage-suite/rules.js";
import type { SqliteStorageOptions } from "../create-sqlite-storage.js";
import { DatabaseForeignError, DatabaseInUseError } from "../database/open-errors.js";
import { endThread, failThread } from "../testing/end-thread.js";
import { holdLock } from "../testing/hold-lock.js";
import { openInThread } from "../testing/storages.js";
import { temporaryPath } from "../testing/temporary-path.js";

const nothing = refOf();
const revoke = (subjectId: string) => commitWrites([revocationOf(subjectId)]);
const unavailable = { name: "StorageError", reason: "unavailable" };
const access = { tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "", grantId: "" };

async function open(options: SqliteStorageOptions = { path: temporaryPath() }) {
  const storage = await openInThread(options);
  onTestFinished(() => storage.close().catch(() => {}));
  return { storage, ...createFixture(storage) };
}

/** Opens a storage with two items, whose writer waits with the version 2 of the first one until it is released. */
async function openBusy() {
  const path = temporaryPath();
  const opened = await open({ path });
  await opened.createVault();
  await opened.createVault("vault-2");
  await opened.put(itemRef("item-1"), "a", 0);
  await opened.put(itemRef("item-2"), "b", 0);
  const release = holdLock(path);
  const written = opened.put(itemRef("item-1"), "c", 1);
  const pending = () => Promise.race([written.then(() => "written"), opened.storage.listShreddable(0, 1)]);
  // The queue waits for another call in the next turn of the event loop.
  for (let turn = 0; turn < 3; turn += 1) await pending();
  return { ...opened, path, written, pending, release };
}

describe("while the writer of a storage waits for the disk", () => {
  it("what needs no write is answered, as before the commit that waits", async () => {
    const { storage, find, remove, written, pending, release } = await openBusy();
    expect(await pending()).toEqual([]);
    const { tenantId } = itemRef("");
    const list = () => storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 10 });
    expect(await list()).toMatchObject({ head: 2 });
    expect(await find({ ...itemRef("item-1"), vaultId: "vault-2" })).toBeUndefined();
    expect(await remove({ ...itemRef("item-1"), vaultId: "vault-2" }, 1)).toMatchObject({ outcome: { ok: false } });
    expect(await readAccess(storage, access)).toMatchObject({ revoked: false });
    expect(await pending()).toEqual([]);
    release();
    expect(await written).toMatchObject({ sequence: 3 });
    expect(await list()).toMatchObject({ head: 3 });
  });

  it("a call about the same vault waits for it, and sees what it has written", async () => {
    const { find, written, pending, release } = await openBusy();
    const found = find(itemRef("item-1"));
    expect(await Promise.race([found, pending()])).toEqual([]);
    release();
    expect(await found).toMatchObject({ version: 2 });
    await written;
  });

  it("DECISIONS section 3: a stranger's refusal does not wait for it, so that its time does not reveal the vault", async () => {
    const { storage, written, pending, release } = await openBusy();
    const refuse = (vaultId: string) => {
      const ref = { kind: "item", ...itemRef("item-1"), vaultId, principalId: "stranger" } as const;
      return storage.transact(ref, deleteItem(1, actor, 0));
    };
    expect(await Promise.race([refuse("vault-1"), written])).toMatchObject({
      outcome: { ok: false, reason: "VAULT_NOT_FOUND" },
    });
    expect(await refuse("vault-9")).toMatchObject({ outcome: { ok: false, reason: "VAULT_NOT_FOUND" } });
    expect(await pending()).toEqual([]);
    release();
    await written;
  });

  it("drops a call whose caller stops waiting meanwhile, and commits the others in order", async () => {
    const { storage, put, written, release } = await openBusy();
    let wanted = true;
    const revoked = storage.transact(nothing, revoke("waits"));
    const next = put(itemRef("item-3"), "a", 0);
    const dropped = storage.transact(nothing, revoke("dropped"), { wanted: () => wanted });
    const last = put(itemRef("item-4"), "b", 0);
    wanted = false;
    release();
    await expect(dropped).rejects.toMatchObject({ name: "StorageError", reason: "dropped" });
    await revoked;
    expect(await Promise.all([written, next, last])).toMatchObject([{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }]);
    expect(await readAccess(storage, { ...access, tokenId: "dropped" })).toMatchObject({ revoked: false });
  });
});

it("DECISIONS section 3: shredding ends, with an empty log, although a long history is being listed all the time", async () => {
  const path = temporaryPath();
  const { storage, createVault, put, remove } = await open({ path });
  await createVault("vault-1", 0);
  for (let version = 0; version < 2000; version += 1) await put(itemRef("item-1"), "a", version);
  const { tenantId, vaultId } = itemRef("item-1");
  let shredded = false;
  const list = async () => {
    const query = { tenantId, vaultId, afterSequence: 0, limit: 10 };
    while (!shredded) expect(await storage.listChanges(query)).toMatchObject({ items: [{ itemId: "item-1" }] });
  };
  const listings = Promise.all([list(), list(), list()]);
  expect(await remove(itemRef("item-1"), 2000)).toMatchObject({ sequence: 2001 });
  expect(statSync(`${path}-wal`).size).toBe(0);
  shredded = true;
  await listings;
});

it("a file that is open is in use, also by the name of a link", async () => {
  const path = temporaryPath();
  const { storage } = await open({ path });
  symlinkSync(path, `${path}-link`);
  await expect(openInThread({ path: `${path}-link` })).rejects.toThrow(DatabaseInUseError);
  await storage.close();
  await (await openInThread({ path: `${path}-link` })).close();
});

it("a file that cannot be opened is rejected each time for the same reason", async () => {
  const path = temporaryPath();
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE notes (id INTEGER)");
  other.close();
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await expect(openInThread({ path })).rejects.toThrow(DatabaseForeignError);
  }
});

it("a write that cannot be copied to the thread fails alone, with its reason, and the rest of its batch is committed", async () => {
  const { storage, createVault, put } = await open();
  await createVault();
  const { record } = revocationOf("uncopied");
  const uncopied = { kind: "record", record: Object.assign({}, record, { note: () => "a function" }) } as const;
  const results = await Promise.allSettled([
    put(itemRef("item-1"), "a", 0),
    storage.transact(nothing, commitWrites([uncopied])),
    put(itemRef("item-2"), "a", 0),
  ]);
  expect(results).toMatchObject([
    { value: { sequence: 1 } },
    { reason: { ...unavailable, cause: { name: "DataCloneError", message: expect.stringContaining("a function") } } },
    { value: { sequence: 2 } },
  ]);
  expect(await readAccess(storage, { ...access, tokenId: "uncopied" })).toMatchObject({ revoked: false });
  await expect(storage.transact(nothing, commitWrites([uncopied]))).rejects.toMatchObject(unavailable);
  expect(await put(itemRef("item-3"), "a", 0)).toMatchObject({ sequence: 3 });
});

describe("when the thread of the writer ends unexpectedly", () => {
  it.each([
    ["it exits", endThread],
    ["it has an uncaught error", failThread],
  ])(
    "because %s, open calls fail as unavailable, later ones fail as lost, and acknowledged changes are kept",
    async (_, end) => {
      const path = temporaryPath();
      const { storage, createVault, put } = await open({ path });
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      const ending = storage.transact(nothing, end()).catch((error: unknown) => error);
      const lost = { name: "StorageError", reason: "lost" };
      await expect.poll(() => storage.check().catch(({ reason }) => reason)).toBe("lost");
      if (end === endThread) expect(await ending).toMatchObject({ ...unavailable, cause: { message: /code 7/ } });
      await expect(put(itemRef("item-2"), "a", 0)).rejects.toMatchObject(lost);
      await expect(readAccess(storage, access)).rejects.toMatchObject(lost);
      await expect(storage.close()).rejects.toMatchObject(lost);

      const again = await open({ path });
      expect(await again.find(itemRef("item-1"))).toMatchObject({ version: 1 });
      expect(await again.find(itemRef("item-2"))).toBeUndefined();
    },
  );
});
