import { requireOptions } from "@platform-rpc/options";
import { betweenCells } from "../../option-rules.js";
import { connect, MoveTenantError, type MovingCell, readAssignment, setState } from "./assignment.js";

/** What is given up. */
export interface GiveUpTenantOptions {
  readonly tenantId: string;
  /** The cell that gives the tenant up. */
  readonly from: MovingCell;
  /** The cell that serves it on. */
  readonly to: MovingCell;
}

/**
 * Lets one of two cells that serve the same tenant give it up. Nothing is copied: what only that cell has is lost to callers. It stays in
 * its database until `removeMovedTenant` removes it.
 *
 * Two cells serve a tenant if it was assigned to both, or if one of them was restored to a point before the tenant had left.
 *
 * @example
 * ```ts
 * import { giveUpTenant, MoveTenantError } from "@platform-rpc/server/postgres";
 *
 * // Two cells have two databases.
 * const [from, to] = [{ name: "a", url: databaseUrl }, { name: "b", url: databaseUrl }] as const;
 * const done = await giveUpTenant({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(done instanceof MoveTenantError ? done.reason : "given up");
 * // not_served
 * ```
 *
 * @throws MoveTenantError "not_served" if one of the cells does not serve the tenant; "claimed" if another command changes its state
 *   meanwhile; "unusable" or "unreachable" if a database cannot be used.
 */
export async function giveUpTenant(options: GiveUpTenantOptions): Promise<void> {
  requireOptions("giveUpTenant", options, betweenCells);
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const [source, target] = [await connect(from, stack), await connect(to, stack)];
  const old = await readAssignment(source, tenantId);
  for (const [{ name }, found] of [
    [from, old],
    [to, await readAssignment(target, tenantId)],
  ] as const) {
    if (found?.state === "serving" || found?.state === "paused") continue;
    throw new MoveTenantError(
      "not_served",
      `The cell ${name} does not serve the tenant ${tenantId}. Nothing was changed.`,
    );
  }
  await setState(source, tenantId, old, { state: "moved", peer: to.name, move: "" });
}
