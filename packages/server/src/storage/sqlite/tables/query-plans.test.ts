import type { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { text } from "../database/columns.js";
import { openDatabase } from "../database/open-database.js";
import { createBacklog } from "./index.js";
import { createRecords } from "./records.js";
import { createVaults } from "./vaults.js";

/** Returns the steps with which SQLite executes the statement of a table that contains a text. */
function planOf(createTable: (database: DatabaseSync) => unknown, part: string): string[] {
  const database = openDatabase(":memory:");
  const prepare = vi.spyOn(database, "prepare");
  createTable(database);
  const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes(part));
  expect(statements).toHaveLength(1);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${statements[0]}`).all();
  database.close();
  return rows.map((row) => text(row, "detail"));
}

describe("a list of one principal reads no rows of others", () => {
  it("finds the vaults of a member by their memberships, not among all vaults of the tenant", () => {
    expect(planOf(createVaults, "ORDER BY vault_id")).toEqual([
      "SEARCH vault_members USING INDEX vault_members_by_principal (principal_id=?)",
      "SEARCH vaults USING INTEGER PRIMARY KEY (rowid=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ]);
  });

  it("finds the records of a principal by their owner, not among all records of the collection", () => {
    expect(planOf(createRecords, "ORDER BY key")).toEqual([
      "SEARCH records USING INDEX records_by_principal (tenant_id=? AND collection=? AND principal_id=? AND key>?)",
    ]);
  });
});

describe("a slice of expired records is found by their times, and removed by their keys", () => {
  it("scans neither all records nor their index", () => {
    expect(planOf(createRecords, "DELETE FROM records")).toEqual([
      "SEARCH records USING PRIMARY KEY (tenant_id=? AND collection=? AND key=?)",
      "LIST SUBQUERY 2",
      "SEARCH records USING COVERING INDEX records_by_expiry (expires_at<?)",
    ]);
  });
});

describe("the backlog of the jobs is read without reading other rows", () => {
  it("searches an index or a key for each part, and scans nothing", () => {
    expect(planOf(createBacklog, "unsealed_since").filter((step) => /^(?:SCAN|SEARCH) [a-z]/.test(step))).toEqual([
      "SEARCH audit USING INTEGER PRIMARY KEY (rowid>?)",
      "SEARCH audit_seals",
      "SEARCH tombstones USING COVERING INDEX tombstones_due",
      "SEARCH records USING COVERING INDEX records_by_expiry (expires_at>?)",
    ]);
  });
});
