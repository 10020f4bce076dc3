import { requireOptions } from "@platform-rpc/options";
import { betweenCells } from "../../option-rules.js";
import {
  type Assignment,
  connectAlone,
  MoveTenantError,
  type MovingCell,
  readAssignment,
  setState,
} from "./assignment.js";

/** The move that is given up. */
export interface CancelMoveOptions {
  readonly tenantId: string;
  readonly from: MovingCell;
  readonly to: MovingCell;
}

/**
 * Gives up a move that was interrupted before the old cell handed the tenant over: the old cell serves it on, with its writes. What has
 * arrived in the new cell can then be removed with `removeMovedTenant`.
 *
 * @example
 * ```ts
 * import { cancelMove, migratePostgresDatabase, MoveTenantError } from "@platform-rpc/server/postgres";
 *
 * await migratePostgresDatabase({ url: databaseUrl });
 * const from = { name: "a", url: databaseUrl };
 * const to = { name: "b", url: "postgres://owner@127.0.0.1:1/none" };
 * const cancelled = await cancelMove({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(cancelled instanceof MoveTenantError ? cancelled.reason : "cancelled");
 * // unreachable
 * ```
 *
 * @throws MoveTenantError "not_moving" if there is no such move, or the old cell has handed the tenant over; "claimed" if another command,
 *   such as the move itself, works on the tenant; "unreachable" if the database of a cell cannot be reached. If that is the new cell, the old one
 *   serves, and the same call later lets the new cell forget the move.
 */
export async function cancelMove(options: CancelMoveOptions): Promise<void> {
  requireOptions("cancelMove", options, betweenCells);
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const source = await connectAlone(from, tenantId, stack);
  const readOld = async () => {
    const old = await readAssignment(source, tenantId);
    if (old?.state !== "moved" || old.peer !== to.name) return old;
    throw new MoveTenantError(
      "not_moving",
      `The cell ${from.name} has handed the tenant ${tenantId} over to ${to.name}. Run move-tenant again if ${to.name} does not serve it yet.`,
    );
  };
  const isPaused = (old: Assignment | undefined) => old?.state === "paused" && old.peer === to.name;
  const serveOn = async (old: Assignment | undefined) => {
    if (isPaused(old)) await setState(source, tenantId, old, "serving");
  };
  const target = await connectAlone(to, tenantId, stack).catch(async (error: MoveTenantError) => {
    await serveOn(await readOld());
    throw new MoveTenantError(
      error.reason,
      `${error.message} Writes of the tenant ${tenantId} are not paused. Cancel the move again when ${to.name} can be reached.`,
      { cause: error.cause },
    );
  });
  const next = await readAssignment(target, tenantId);
  const old = await readOld();
  const arrives = next?.state === "arriving" && next.peer === from.name;
  if (!isPaused(old) && !arrives) {
    throw new MoveTenantError(
      "not_moving",
      `No move of the tenant ${tenantId} from ${from.name} to ${to.name} is under way.`,
    );
  }
  await serveOn(old);
  if (arrives) await setState(target, tenantId, next, "moved", from.name);
}
