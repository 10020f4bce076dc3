import type { DatabaseSync } from "node:sqlite";
import type { Principal } from "../../../domain/access.js";
import { flag } from "../database/columns.js";

/** Principals and whether they are active. */
export function createPrincipals(database: DatabaseSync) {
  const select = database.prepare("SELECT active FROM principals WHERE tenant_id = ? AND principal_id = ?");
  const upsert = database.prepare(`
    INSERT INTO principals (tenant_id, principal_id, active) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET active = excluded.active`);

  return {
    /** Returns whether a principal is active. An unknown principal is not. */
    active(tenantId: string, principalId: string): boolean {
      const row = select.get(tenantId, principalId);
      return row !== undefined && flag(row, "active");
    },

    save({ tenantId, principalId, active }: Principal): void {
      upsert.run(tenantId, principalId, Number(active));
    },
  };
}
