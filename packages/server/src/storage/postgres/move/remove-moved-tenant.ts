import { connect, MoveTenantError, type MovingCell, readAssignment } from "./assignment.js";

/** The tables with what a tenant has left behind. The history and the trail of the cell itself stay: other tenants are in it. */
const tables = ["contents", "content_keys", "tombstones", "changes", "items", "vault_members", "vaults", "records"];

/** How many rows are removed in one transaction. */
const removedAtOnce = 5_000;

/**
 * Removes what a tenant has left behind in the cell that it has left, and returns the number of rows. The audit trail of the cell keeps
 * what happened there.
 *
 * @example
 * ```ts
 * import { MoveTenantError, removeMovedTenant } from "@platform-rpc/server/postgres";
 *
 * const from = { name: "a", url: databaseUrl };
 * const removed = await removeMovedTenant({ tenantId: "unknown", from }).catch((error) => error);
 * console.log(removed instanceof MoveTenantError ? removed.reason : removed);
 * // not_moved
 * ```
 *
 * @throws MoveTenantError "not_moved" if the tenant has not left the cell, or "unreachable".
 */
export async function removeMovedTenant({ tenantId, from }: { readonly tenantId: string; readonly from: MovingCell }) {
  await using stack = new AsyncDisposableStack();
  const client = await connect(from, stack);
  if ((await readAssignment(client, tenantId))?.state !== "moved") {
    throw new MoveTenantError(
      "not_moved",
      `The tenant ${tenantId} has not left the cell ${from.name}. Nothing was removed.`,
    );
  }
  let removed = 0;
  for (const [table, tenant] of [
    ...tables.map((name) => [name, "tenant_id"] as const),
    ["arrived_audit", "subject_tenant_id"] as const,
    ["arrived_audit_seals", "subject_tenant_id"] as const,
  ]) {
    const some = `SELECT ctid FROM ${table} WHERE ${tenant} = $1 LIMIT ${removedAtOnce}`;
    for (let count = removedAtOnce; count === removedAtOnce; removed += count) {
      const { rowCount } = await client.query(`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${some}))`, [tenantId]);
      count = rowCount ?? 0;
    }
  }
  return removed;
}
