import { requireOptions } from "@platform-rpc/options";
import { cell, cells, id } from "../../option-rules.js";
import { connect, connectAlone, MoveTenantError, type MovingCell, readAssignment } from "./assignment.js";

/** The tables with what a tenant has left behind. The history and the trail of the cell itself stay: other tenants are in it. */
const tables = [
  ...["contents", "content_keys", "earlier_contents", "tombstones", "changes"],
  ...["items", "vault_members", "vaults", "records"],
];

/** Seals to which the trail of the cell itself is linked stay: without them, it could not be verified. */
const unlinked =
  "AND NOT EXISTS (SELECT FROM audit_seals WHERE subject_tenant_id = r.subject_tenant_id AND previous_position = r.position)";

/** How many rows are removed in one transaction. */
const removedAtOnce = 5_000;

/** What is removed. */
export interface RemoveMovedTenantOptions {
  readonly tenantId: string;
  /** The cell that the tenant has left. */
  readonly from: MovingCell;
  /** The other cells. Nothing is removed if none of them serves the tenant: the move may be unfinished. */
  readonly others: readonly MovingCell[];
}

/**
 * Removes what a tenant has left behind in the cell that it has left, and returns the number of rows. The audit trail of the cell keeps
 * what happened there.
 *
 * @example
 * ```ts
 * import { MoveTenantError, removeMovedTenant } from "@platform-rpc/server/postgres";
 *
 * const from = { name: "a", url: databaseUrl };
 * const removed = await removeMovedTenant({ tenantId: "unknown", from, others: [] }).catch((error) => error);
 * console.log(removed instanceof MoveTenantError ? removed.reason : removed);
 * // not_moved
 * ```
 *
 * @throws MoveTenantError "not_moved" if the tenant has not left the cell; "claimed" if another command works on it; "not_served" if no other cell serves it; "unusable" or
 *   "unreachable" if a database cannot be used.
 */
export async function removeMovedTenant(options: RemoveMovedTenantOptions): Promise<number> {
  requireOptions("removeMovedTenant", options, { tenantId: id, from: cell, others: cells });
  const { tenantId, from, others } = options;
  await using stack = new AsyncDisposableStack();
  const client = await connectAlone(from, tenantId, stack);
  const left = await readAssignment(client, tenantId);
  if (left?.state !== "moved") {
    throw new MoveTenantError(
      "not_moved",
      `The tenant ${tenantId} has not left the cell ${from.name}. Nothing was removed.`,
    );
  }
  if (!(await isServedIn(others, tenantId))) {
    throw new MoveTenantError(
      "not_served",
      `No other cell serves the tenant ${tenantId}. Nothing was removed. If its move was interrupted, finish that first.`,
    );
  }
  let removed = 0;
  for (const [table, tenant, kept = ""] of [
    ...tables.map((name) => [name, "tenant_id"] as const),
    ["arrived_audit", "subject_tenant_id"] as const,
    ["arrived_audit_seals", "subject_tenant_id", unlinked] as const,
  ]) {
    const some = `SELECT ctid FROM ${table} AS r WHERE ${tenant} = $1 ${kept} LIMIT ${removedAtOnce}`;
    for (let count = removedAtOnce; count === removedAtOnce; removed += count) {
      const { rowCount } = await client.query(`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${some}))`, [tenantId]);
      count = rowCount ?? 0;
    }
  }
  return removed;
}

async function isServedIn(cells: readonly MovingCell[], tenantId: string): Promise<boolean> {
  let unknown: unknown;
  for (const cell of cells) {
    try {
      await using stack = new AsyncDisposableStack();
      const found = await readAssignment(await connect(cell, stack), tenantId);
      if (found?.state === "serving" || found?.state === "paused") return true;
    } catch (error) {
      // Another cell may serve it.
      unknown = error;
    }
  }
  if (unknown !== undefined) throw unknown;
  return false;
}
