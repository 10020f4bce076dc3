import { readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { temporaryPath } from "../testing/temporary-path.js";
import { DatabaseDamagedError, DatabaseForeignError } from "./open-errors.js";

function foreignDatabase(sql: string): string {
  const path = temporaryPath();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

describe("the file of a database", () => {
  it.each([
    ["another application id", "PRAGMA application_id = 252006674"],
    ["another application id and tables", "PRAGMA application_id = 1; CREATE TABLE vaults (x)"],
    ["no application id, and tables of another program", "CREATE TABLE moz_places (x); PRAGMA user_version = 1"],
    ["no application id, and one of our tables", "CREATE TABLE vaults (x)"],
  ])("is rejected and not changed when it has %s", (_, sql) => {
    const path = foreignDatabase(sql);
    const before = readFileSync(path);
    const { mode } = statSync(path);
    expect(() => createSqliteStorage({ path })).toThrow(new DatabaseForeignError(path));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode).toBe(mode);
  });

  it("is rejected and not changed when it is not a database", () => {
    const path = temporaryPath();
    writeFileSync(path, "not a database, but a text that is long enough to be taken for the header of one".repeat(20));
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseDamagedError);
    expect(readFileSync(path, "utf8")).toMatch(/^not a database/);
  });
});
