import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { temporaryPath } from "../testing/temporary-path.js";
import { settleLog } from "./write-ahead-log.js";

/** Copies the files of a database with one row in its log, as a killed process leaves them. Returns the path of the copy. */
function leaveOpen(): string {
  const path = temporaryPath();
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA application_id = 0x504c4154;
    PRAGMA journal_mode = WAL;
    CREATE TABLE t (x);
    INSERT INTO t VALUES (1)`);
  const left = join(dirname(path), "left");
  mkdirSync(left);
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, join(left, `platform.db${suffix}`));
  database.close();
  return join(left, "platform.db");
}

describe("the log of a killed process", () => {
  it("is moved into the database file and removed", () => {
    const path = leaveOpen();
    settleLog(path);
    expect(existsSync(`${path}-wal`)).toBe(false);
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT x FROM t").all()).toEqual([{ x: 1 }]);
    database.close();
  });

  it("is not replaced if the database is in use", () => {
    const path = leaveOpen();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES (2)");
    const { ino } = statSync(`${path}-wal`);
    settleLog(path);
    expect(statSync(`${path}-wal`).ino).toBe(ino);
    database.close();
  });

  it("leaves no copy, also when an earlier start was killed", () => {
    const path = leaveOpen();
    writeFileSync(`${path}-wal-copy`, "<secret>");
    settleLog(path);
    expect(existsSync(`${path}-wal-copy`)).toBe(false);
    writeFileSync(`${path}-wal-copy`, "<secret>");
    settleLog(path);
    expect(existsSync(`${path}-wal-copy`)).toBe(false);
  });
});
