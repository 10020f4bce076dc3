import { chmodSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commitWrites } from "../../testing/storage-suite/rules.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { DatabaseInUseError } from "./open-errors.js";
import { startChild } from "./testing/child-process.js";
import { temporaryPath } from "./testing/temporary-path.js";

describe("a database file belongs to one storage", () => {
  it("fails a second process at once with the path of the file and what to do", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toBe(
      `DatabaseInUseError: The database file ${path} is in use by another process, and only one process at a time can ` +
        "serve a database. Stop that process, or give this one another data directory.\n",
    );
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("removes the permissions of other users from an existing file", async () => {
    const path = temporaryPath();
    await createSqliteStorage({ path }).close();
    chmodSync(path, 0o644);
    const storage = createSqliteStorage({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it("rejects a second storage in the same process, and keeps its lock", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseInUseError);
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toContain("DatabaseInUseError");
    await storage.close();
  });

  it("can be opened again after the process that used it was killed", async () => {
    const path = temporaryPath();
    const holder = startChild("./open-child.ts", path);
    await holder.said("open");
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseInUseError);
    await holder.kill();
    const storage = createSqliteStorage({ path });
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("is readable only by its owner, like its log", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    await storage.transact({ kind: "nothing" }, commitWrites([{ kind: "revocation", subjectId: "token-1", at: 1 }]));
    expect([path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    await storage.close();
  });
});
