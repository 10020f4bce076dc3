import { describe, expect, it, vi } from "vitest";
import { text } from "../columns.js";
import { openDatabase } from "../open-database.js";
import { createVaults } from "./vaults.js";

describe("the vaults of a member", () => {
  it("are found by their memberships, not among all vaults of the tenant", () => {
    const database = openDatabase(":memory:");
    const prepare = vi.spyOn(database, "prepare");
    createVaults(database);
    const listing = prepare.mock.calls.map(([sql]) => sql).find((sql) => sql.includes("ORDER BY vault_id"));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${listing}`).all("principal-1", "tenant-1", "", 1);
    expect(plan.map((step) => text(step, "detail")).slice(0, 2)).toEqual([
      "SEARCH vault_members USING INDEX vault_members_by_principal (principal_id=?)",
      "SEARCH vaults USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
    database.close();
  });
});
