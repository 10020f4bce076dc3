import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { readAccess } from "../../services/read-access.js";
import { actor, createFixture, itemRef, tenantId } from "../../testing/storage-suite/fixture.js";
import { storages } from "./testing/storages.js";
import { temporaryPath } from "./testing/temporary-path.js";

const lost = { name: "StorageError", reason: "lost" };

describe.each(storages)("a database $where whose files are deleted or replaced while it is open", ({ openStorage }) => {
  it.each<[string, (path: string) => void]>([
    ["folder deleted", (path) => rmSync(dirname(path), { recursive: true })],
    ["file deleted", (path) => rmSync(path)],
    ["log deleted", (path) => rmSync(`${path}-wal`)],
    ["file replaced by a copy", replaceByCopy],
    ["file replaced by another", (path) => replaceBy(path, "another")],
    ["log replaced", (path) => replaceBy(`${path}-wal`, "")],
  ])("%s: fails every later call as lost", async (_, lose) => {
    const path = temporaryPath();
    const storage = await openStorage({ path });
    const { createVault, put, find } = createFixture(storage);
    await createVault();
    await put(itemRef("item-1"), "a", 0);
    await storage.check();
    lose(path);
    await expect(storage.check()).rejects.toMatchObject(lost);
    await expect(put(itemRef("item-2"), "a", 0)).rejects.toMatchObject(lost);
    await expect(find(itemRef("item-1"))).rejects.toMatchObject(lost);
    await expect(readAccess(storage, { ...actor, grantId: "" })).rejects.toMatchObject(lost);
    await expect(
      storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 }),
    ).rejects.toMatchObject(lost);
    await expect(storage.check()).rejects.toMatchObject(lost);
    await storage.close().catch(() => {});
  });

  it("notices lost files within a second of calls, without a check", async () => {
    const path = temporaryPath();
    const storage = await openStorage({ path });
    const { createVault, find } = createFixture(storage);
    await createVault();
    rmSync(path);
    await expect
      .poll(
        () =>
          find(itemRef("item-1")).then(
            () => "answered",
            ({ reason }) => reason,
          ),
        { timeout: 20_000 },
      )
      .toBe("lost");
  }, 30_000);
});

function replaceByCopy(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

function replaceBy(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
