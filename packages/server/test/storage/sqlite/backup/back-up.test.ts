import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Backup,
  backUpDatabase,
  backUpSqliteDatabase,
} from "../../../../src/storage/sqlite/backup/back-up-database.js";
import type { BackupError } from "../../../../src/storage/sqlite/backup/backup-error.js";
import { createBackups } from "../../../../src/storage/sqlite/backup/backups.js";
import { openDatabase } from "../../../../src/storage/sqlite/database/open-database.js";
import { DatabaseInUseError } from "../../../../src/storage/sqlite/database/open-errors.js";
import { createStorageOnDatabase } from "../../../../src/storage/sqlite/storage-on-database.js";
import { applyWrite, createTables } from "../../../../src/storage/sqlite/tables/index.js";
import { inSameThread, storages } from "../../../../src/storage/sqlite/testing/storages.js";
import { temporaryPath } from "../../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";
import { startChild } from "../testing/child-process.js";

const contents = "c".repeat(2_000);

async function openVault(items = 0, { openStorage } = inSameThread) {
  const path = temporaryPath();
  const folder = dirname(path);
  const storage = await openStorage({ path });
  const fixture = createFixture(storage);
  await fixture.createVault("vault-1", 0);
  await Promise.all(Array.from({ length: items }, (_, index) => fixture.put(itemRef(`item-${index}`), contents, 0)));
  onTestFinished(() => storage.close());
  return { path, folder, storage, ...fixture };
}

function rows(path: string, sql: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const reasonOf = (promise: Promise<unknown>): Promise<BackupError["reason"] | undefined> =>
  promise.then(
    () => undefined,
    (error) => error.reason,
  );

describe("an online backup", () => {
  it.each(storages)(
    "$where is consistent during commits, and contains everything acknowledged before it began",
    async (kind) => {
      const { storage, folder, put, remove } = await openVault(2_000, kind);
      let writing = true;
      let written = 0;
      const writer = (async () => {
        while (writing) {
          const item = itemRef(`written-${written}`);
          await Promise.all([put(item, contents, 0), put(itemRef(`also-${written}`), contents, 0)]);
          await remove(item, 1);
          written += 1;
        }
      })();
      await expect.poll(() => written, { timeout: 20_000 }).toBeGreaterThan(5);
      const before = written;
      const backup = await storage.backUp(join(folder, "backup"));
      writing = false;
      await writer;

      expect(rows(backup.path, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
      const torn = `SELECT count(*) AS count FROM vaults WHERE sequence <> (SELECT count(*) FROM changes)
      OR sequence <> (SELECT max(sequence) FROM item_states)`;
      expect(rows(backup.path, torn)).toEqual([{ count: 0 }]);
      const kept = rows(
        backup.path,
        `SELECT 1 FROM items WHERE item_id IN ('written-${before - 1}', 'also-${before - 1}')`,
      );
      expect(kept).toHaveLength(2);
    },
  );

  it("is one private file in a journal mode that any reader can open, without leftover files", async () => {
    const { storage, folder } = await openVault(10);
    const path = join(folder, "backup");
    expect(await storage.backUp(path)).toEqual({ path, bytes: statSync(path).size, madeAt: expect.any(Number) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(rows(path, "PRAGMA journal_mode")).toEqual([{ journal_mode: "delete" }]);
    expect(readdirSync(folder).sort()).toEqual(["backup", "platform.db", "platform.db-wal"]);
  });

  it("removes the partial file that a killed process of the same database has left", async () => {
    const path = temporaryPath();
    const folder = dirname(path);
    const database = openDatabase(path);
    onTestFinished(() => database.close());
    const partials = new Set<string>();
    const backUp = (name: string) =>
      backUpDatabase(database, join(folder, name), () => {
        for (const file of readdirSync(folder)) if (file.endsWith(".partial")) partials.add(file);
      });
    await backUp("backup");
    expect(partials.size).toBe(1);
    rmSync(join(folder, "backup"));
    for (const file of partials) for (const suffix of ["", "-journal"]) writeFileSync(join(folder, file + suffix), "");
    await backUp("backup");
    expect(readdirSync(folder).filter((file) => file.startsWith("backup"))).toEqual(["backup"]);
  });

  it("leaves the partial file of another database that is backed up to the same path", async () => {
    const [path, otherPath] = [temporaryPath(), temporaryPath()];
    const [database, other] = [openDatabase(path), openDatabase(otherPath)];
    onTestFinished(() => {
      database.close();
      other.close();
    });
    const to = join(dirname(path), "backup");
    // The first step waits for the transaction. The partial file exists by then.
    database.exec("BEGIN IMMEDIATE");
    let backup: Promise<Backup> | undefined;
    await new Promise<void>((begun) => {
      backup = backUpDatabase(database, to, begun);
    });
    const stopped = backUpDatabase(other, to, () => {
      throw new Error("enough");
    });
    expect(await reasonOf(stopped)).toBe("failed");
    database.exec("COMMIT");
    expect(await backup).toMatchObject({ path: to });
    // A removed file would be created again by SQLite, which lets others read it.
    expect(statSync(to).mode & 0o777).toBe(0o600);
  });

  it("keeps the storage's lock of the database", async () => {
    const { storage, folder, path } = await openVault(10);
    await storage.backUp(join(folder, "backup"));
    await expect(backUpSqliteDatabase(path, join(folder, "other"))).rejects.toBeInstanceOf(DatabaseInUseError);
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toMatch(/^DatabaseInUseError: /);
  });

  it("does not contain content that is shredded during the backup", async () => {
    const path = temporaryPath();
    const database = openDatabase(path);
    onTestFinished(() => database.close());
    const { createVault, put } = createFixture(createStorageOnDatabase(database));
    await createVault();
    await put(itemRef("secret"), "<secret>".repeat(500), 0);
    await Promise.all(Array.from({ length: 500 }, (_, index) => put(itemRef(`item-${index}`), contents, 0)));
    let steps = 0;
    const tables = createTables(database);
    const backup = await backUpDatabase(database, join(dirname(path), "backup"), () => {
      steps += 1;
      // The first step has copied the page of the secret.
      if (steps === 2) {
        const item = { ...itemRef("secret"), version: 2, updatedAt: 0, state: "shredded", shredAt: undefined } as const;
        for (const kind of ["change", "shred"] as const) applyWrite(tables, { kind, item });
      }
    });
    expect(steps).toBeGreaterThan(2);
    expect(readFileSync(backup.path).includes("<secret>")).toBe(false);
    expect(readFileSync(backup.path).includes("title-ccc")).toBe(true);
  });

  it("returns the same backup for repeated calls during it and for a minute, then rejects with file_exists", async () => {
    const database = openDatabase(":memory:");
    onTestFinished(() => database.close());
    const path = `${temporaryPath()}.backup`;
    let now = 0;
    const { backUp } = createBackups(database, () => now);
    const [one, two] = await Promise.all([backUp(path), backUp(path)]);
    expect(two).toBe(one);
    now = 59_999;
    expect(await backUp(path)).toBe(one);
    now = 60_000;
    expect(await reasonOf(backUp(path))).toBe("file_exists");
    expect(statSync(path).mtimeMs).toBeCloseTo(one.madeAt, -1);
    rmSync(path);
    expect(await backUp(path)).not.toBe(one);
  });

  it("returns a backup that completes although its last call is aborted, also to the next call", async () => {
    const database = openDatabase(":memory:");
    onTestFinished(() => database.close());
    const complete: ((backup: Backup) => void)[] = [];
    const { backUp } = createBackups(
      database,
      () => 0,
      () => new Promise((resolve) => complete.push(resolve)),
    );
    const abort = new AbortController();
    const first = backUp("/backup", abort.signal);
    // After the last step: nothing stops the backup any more.
    abort.abort();
    const backup = { path: "/backup", bytes: 1, madeAt: 0 };
    complete[0]?.(backup);
    expect(await first).toBe(backup);
    expect(await backUp("/backup")).toBe(backup);
    expect(complete.length).toBe(1);
  });

  it.each(storages)("$where rejects another path with in_progress during a backup", async (kind) => {
    const { storage, folder } = await openVault(10, kind);
    const first = storage.backUp(join(folder, "first"));
    expect(await reasonOf(storage.backUp(join(folder, "second")))).toBe("in_progress");
    await first;
  });

  it("rejects a missing folder and the names of SQLite's own files", async () => {
    const { storage, folder, path } = await openVault();
    expect(await reasonOf(storage.backUp(join(folder, "none", "backup")))).toBe("not_writable");
    expect(await reasonOf(storage.backUp(path))).toBe("file_exists");
    expect(await reasonOf(storage.backUp(`${path}-journal`))).toBe("file_exists");
    mkdirSync(join(folder, "backup"));
    expect(await reasonOf(storage.backUp(join(folder, "backup")))).toBe("file_exists");
  });

  it.each(storages)("$where makes a backup until the last of its calls is aborted", async (kind) => {
    const { folder, storage, put } = await openVault(0, kind);
    await put(itemRef("large"), "c".repeat(1024 * 1024), 0);
    const path = join(folder, "backup");
    const [first, second] = [new AbortController(), new AbortController()];
    const backUp = ({ signal }: AbortController) => storage.backUp(path, signal);
    const aborted = backUp(first);
    const kept = backUp(second);
    first.abort();
    expect(await reasonOf(aborted)).toBe("failed");
    expect(await kept).toMatchObject({ path });
    rmSync(path);

    const other = join(folder, "other");
    const both = [first, second].map(() => new AbortController());
    const stopped = both.map(({ signal }) => reasonOf(storage.backUp(other, signal)));
    for (const each of both) each.abort();
    expect(await reasonOf(storage.backUp(other))).toBe("in_progress");
    expect(await Promise.all(stopped)).toEqual(["failed", "failed"]);
    expect(readdirSync(folder).sort()).toEqual(["platform.db", "platform.db-wal"]);
  });

  it.each(storages)(
    "$where stops between two steps when the storage closes or the check throws, and leaves no file",
    async (kind) => {
      const { path, folder, storage, put } = await openVault(0, kind);
      await put(itemRef("large"), "c".repeat(1024 * 1024), 0);
      const stopped = storage.backUp(join(folder, "backup"));
      await Promise.all([expect(reasonOf(stopped)).resolves.toBe("failed"), storage.close()]);
      expect(await reasonOf(storage.backUp(join(folder, "backup")))).toBe("failed");
      const aborted = createBackups(openDatabase(":memory:")).backUp(join(folder, "backup"), AbortSignal.abort());
      expect(await reasonOf(aborted)).toBe("failed");

      const database = openDatabase(path);
      onTestFinished(() => database.close());
      let steps = 0;
      const ended = backUpDatabase(database, join(folder, "backup"), () => {
        steps += 1;
        if (steps === 3) throw new Error("enough");
      });
      expect(await reasonOf(ended)).toBe("failed");
      expect(readdirSync(folder).sort()).toEqual(["platform.db", "platform.db-wal"]);
    },
  );
});

describe("a backup of a database that no process serves", () => {
  it("contains what is still in the write-ahead log, and does not change the schema", async () => {
    const path = temporaryPath();
    const old = openDatabase(path);
    old.exec("CREATE TABLE old (x)");
    // Copies the files with the log, as a killed process leaves them.
    const left = join(dirname(path), "left");
    mkdirSync(left);
    execFileSync("cp", [path, `${path}-wal`, left]);
    old.close();
    const backup = await backUpSqliteDatabase(join(left, "platform.db"), join(left, "backup"));
    const schema = rows(backup.path, "SELECT name FROM sqlite_schema");
    expect(schema).toContainEqual({ name: "old" });
    expect(rows(join(left, "platform.db"), "SELECT name FROM sqlite_schema")).toEqual(schema);
  });

  it("fails when there is no database, and does not create one", async () => {
    const path = temporaryPath();
    expect(await reasonOf(backUpSqliteDatabase(path, `${path}.backup`))).toBe("failed");
    expect(readdirSync(dirname(path))).toEqual([]);
  });
});
