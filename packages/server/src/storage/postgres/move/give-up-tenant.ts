import { requireOptions } from "@platform-rpc/options";
import { betweenCells } from "../../option-rules.js";
import { connectAlone, MoveTenantError, type MovingCell, readAssignment, setState } from "./assignment.js";

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
 * const from = { name: "a", url: databaseUrl };
 * const to = { name: "b", url: "postgres://owner@127.0.0.1:1/none" };
 * const done = await giveUpTenant({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(done instanceof MoveTenantError ? done.reason : "given up");
 * // unreachable
 * ```
 *
 * @throws MoveTenantError "not_served" if one of the cells does not serve the tenant; "claimed" if another command works on
 *   the tenant; "unusable" or "unreachable" if a database cannot be used.
 */
export async function giveUpTenant(options: GiveUpTenantOptions): Promise<void> {
  requireOptions("giveUpTenant", options, betweenCells);
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const [source, target] = [await connectAlone(from, tenantId, stack), await connectAlone(to, tenantId, stack)];
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
  await setState(source, tenantId, old, "moved", to.name);
}
