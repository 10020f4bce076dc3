import { chmodSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { DatabaseInUseError } from "./open-errors.js";
import { startChild } from "./testing/child-process.js";
import { temporaryPath } from "./testing/temporary-path.js";

describe("a database file belongs to one storage", () => {
  it("tells a second process at once that the file is in use, which file, and what to do", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toBe(
      `DatabaseInUseError: The database file ${path} is in use: another process holds it, and a database is served by one ` +
        "process at a time. Stop that process, or give this one a data directory of its own.\n",
    );
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("makes a file that others could read private again", async () => {
    const path = temporaryPath();
    await createSqliteStorage({ path }).close();
    chmodSync(path, 0o644);
    const storage = createSqliteStorage({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it("refuses a second storage in the same process, and does not lose the lock over it", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseInUseError);
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toContain("DatabaseInUseError");
    await storage.close();
  });

  it("is free again when the process that held it is gone, however it went", async () => {
    const path = temporaryPath();
    const holder = startChild("./open-child.ts", path);
    await holder.said("open");
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseInUseError);
    await holder.kill();
    const storage = createSqliteStorage({ path });
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("is readable by its owner alone, its log too", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    await storage.transact({ kind: "nothing" }, () => ({
      outcome: undefined,
      writes: [{ kind: "revocation", subjectId: "token-1", at: 1 }],
    }));
    expect([path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    await storage.close();
  });
});
