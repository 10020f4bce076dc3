import { describe, expect, it, onTestFinished } from "vitest";
import { createFixture, itemRef } from "../../testing/storage-suite/fixture.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { temporaryPath } from "./testing/temporary-path.js";

/** 1 MiB, and 256 calls of 64 KiB with 90,000 bytes of earlier contents. */
const enough = 1024 * 1024 + 256 * (65_536 + 90_000);

describe("the check of a storage on SQLite", () => {
  it("fails while the disk of the database has no room for a batch, although its own write succeeds", async () => {
    const path = temporaryPath();
    let free = enough;
    const asked: string[] = [];
    const storage = createStorageOnDatabase(openDatabase(path), {
      freeBytes(of) {
        asked.push(of);
        return free;
      },
    });
    onTestFinished(() => storage.close());
    const check = async (bytes: number) => {
      free = bytes;
      return storage.check().catch(({ reason }) => reason);
    };
    expect(await check(enough)).toBeUndefined();
    expect(await check(enough - 1)).toBe("full");
    expect(await check(2 * enough - 1)).toBe("full");
    const fixture = createFixture(storage);
    await fixture.createVault();
    expect(await fixture.put(itemRef("item-1"), "a", 0)).toMatchObject({ outcome: { ok: true } });
    expect(await check(2 * enough)).toBeUndefined();
    expect(new Set(asked)).toEqual(new Set([path]));
  });

  it("asks the file system of the database", async () => {
    const storage = createStorageOnDatabase(openDatabase(temporaryPath()));
    onTestFinished(() => storage.close());
    await expect(storage.check()).resolves.toBeUndefined();
  });
});
