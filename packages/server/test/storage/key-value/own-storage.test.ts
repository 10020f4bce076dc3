import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../../examples/own-storage.js";
import { createKeyValueStorage } from "../../../src/storage/key-value/create-key-value-storage.js";
import { createMemoryFolder, temporaryPath } from "../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { startChild } from "../sqlite/testing/child-process.js";

// The store of the example flushes each commit, and no test needs a real disk.
const folder = createMemoryFolder();
beforeAll(() => {
  vi.stubEnv("TMPDIR", folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
await import("../../../examples/own-storage.test.js");

describe("the store of examples/own-storage.ts", () => {
  it("loses no acknowledged change, and no sequence, when two processes that change one vault are killed", async () => {
    const path = temporaryPath();
    const storage = createKeyValueStorage(openSqliteStore(path));
    await createFixture(storage).createVault();
    const acknowledged = new Map<string, string>();
    for (const round of [1, 2, 3]) {
      const writer = new URL("./testing/writer-child.ts", import.meta.url).href;
      const writers = ["a", "b"].map((name) => startChild(writer, path, `${name}${round}`));
      await Promise.all(writers.map((each, index) => each.said(`-${round * (index + 3)}-7\n`)));
      await Promise.all(writers.map((each) => each.kill()));
      // An incomplete line was not acknowledged.
      const lines = writers.flatMap((each) => each.output().split("\n").slice(0, -1));
      for (const [sequence = "", itemId = ""] of lines.map((line) => line.split(" "))) {
        expect(acknowledged.get(sequence), sequence).toBeUndefined();
        acknowledged.set(sequence, itemId);
      }
    }
    const all = { tenantId, vaultId: "vault-1", afterSequence: 0, limit: 100_000 };
    const { items, head } = await storage.listChanges(all);
    const newest = new Map(items.map(({ itemId, sequence }) => [itemId, sequence]));
    for (const [sequence, itemId] of acknowledged)
      expect(newest.get(itemId), itemId).toBeGreaterThanOrEqual(Number(sequence));
    const { rows } = await storage.listAudit({ tenantId, limit: 100_000 });
    expect(rows.length).toBe(head);
    expect(items.reduce((sum, { version }) => sum + version, 0)).toBe(head);
    await storage.close();
  });

  it("erases a shredded content from the file", async () => {
    const path = temporaryPath();
    const storage = createKeyValueStorage(openSqliteStore(path));
    const { createVault, put, remove } = createFixture(storage);
    await createVault("vault-1", 0);
    await put(itemRef("item-1"), "<secret>".repeat(8000), 0);
    expect(readFileSync(path, "latin1")).toContain("<secret>");
    await remove(itemRef("item-1"), 1);
    expect(readFileSync(path, "latin1")).not.toContain("<secret>");
    await storage.close();
  });
});
