import { describe, expect, it, onTestFinished } from "vitest";
import { defineRule } from "../../../domain/rule.js";
import { readAccess } from "../../../operations/read-access.js";
import { refOf } from "../../../ports/storage.js";
import { createFixture, itemRef, revocationOf } from "../../../testing/storage-suite/fixture.js";
import { commitWrites } from "../../../testing/storage-suite/rules.js";
import type { SqliteStorageOptions } from "../create-sqlite-storage.js";
import { blockThread, createGate, openGate, reached } from "../testing/block-thread.js";
import { endThread, failThread } from "../testing/end-thread.js";
import { openInThread } from "../testing/storages.js";
import { temporaryPath } from "../testing/temporary-path.js";

const nothing = refOf();
const revoke = (subjectId: string) => commitWrites([revocationOf(subjectId)]);
const unavailable = { name: "StorageError", reason: "unavailable" };

async function open(options: SqliteStorageOptions = { path: ":memory:" }) {
  const storage = await openInThread(options);
  onTestFinished(() => storage.close().catch(() => {}));
  return { storage, ...createFixture(storage) };
}

/** Opens a storage whose thread is blocked until the gate is opened. */
async function openBlocked(options?: SqliteStorageOptions) {
  const opened = await open(options);
  const gate = createGate();
  const blocked = opened.storage.transact(nothing, blockThread(gate));
  await reached(gate);
  return { ...opened, blocked, openGate: () => openGate(gate) };
}

describe("while the thread of a storage is busy with a commit", () => {
  it("drops a call whose caller stops waiting meanwhile, and commits the others in order", async () => {
    const { storage, createVault, put, blocked, openGate } = await openBlocked();
    let wanted = true;
    const vault = createVault();
    const first = put(itemRef("item-1"), "a", 0);
    const dropped = storage.transact(nothing, revoke("dropped"), { wanted: () => wanted });
    const second = put(itemRef("item-2"), "b", 0);
    wanted = false;
    openGate();
    await expect(dropped).rejects.toMatchObject({ name: "StorageError", reason: "dropped" });
    await Promise.all([blocked, vault]);
    expect(await Promise.all([first, second])).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
    const access = { tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "dropped", grantId: "" };
    expect(await readAccess(storage, access)).toMatchObject({ revoked: false });
  });

  it("rejects calls beyond queueLimit as unavailable, and accepts calls again afterwards", async () => {
    const { storage, blocked, openGate } = await openBlocked({ path: ":memory:", queueLimit: 2 });
    const calls = ["a", "b", "c"].map((subject) => storage.transact(nothing, revoke(subject)));
    await expect(calls[2]).rejects.toMatchObject(unavailable);
    openGate();
    await Promise.all([blocked, calls[0], calls[1]]);
    await storage.transact(nothing, revoke("c"));
  });

  it("finishes the waiting calls before it closes", async () => {
    const path = temporaryPath();
    const { storage, createVault, put, blocked, openGate } = await openBlocked({ path });
    const calls = [createVault(), put(itemRef("item-1"), "a", 0)];
    const closing = storage.close();
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    openGate();
    await Promise.all([blocked, ...calls, closing]);
    const { find } = await open({ path });
    expect(await find(itemRef("item-1"))).toMatchObject({ version: 1 });
  });
});

describe("when the thread of a storage ends unexpectedly", () => {
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
      await expect(
        readAccess(storage, { ...itemRef(""), principalId: "", oauthClientId: "", tokenId: "", grantId: "" }),
      ).rejects.toMatchObject(lost);
      await expect(storage.close()).rejects.toMatchObject(lost);

      const again = await open({ path });
      expect(await again.find(itemRef("item-1"))).toMatchObject({ version: 1 });
      expect(await again.find(itemRef("item-2"))).toBeUndefined();
    },
  );
});

describe("a call that cannot cross threads fails alone", () => {
  it("with a TypeError when the thread does not contain its rule", async () => {
    const { storage } = await open();
    const own = defineRule("own", (_: unknown) => ({ outcome: undefined, writes: [] }));
    const calls = [storage.transact(nothing, own()), storage.transact(nothing, revoke("a"))];
    expect(await Promise.allSettled(calls)).toMatchObject([
      { reason: { name: "TypeError", message: expect.stringContaining("createSqliteStorage") } },
      { status: "fulfilled" },
    ]);
  });

  it("with a DataCloneError when its arguments contain a function", async () => {
    const { storage } = await open();
    const closure = { ...revoke("a"), args: [() => {}] };
    const calls = [storage.transact(nothing, closure), storage.transact(nothing, revoke("a"))];
    expect(await Promise.allSettled(calls)).toMatchObject([
      { reason: { name: "DataCloneError" } },
      { status: "fulfilled" },
    ]);
  });
});
