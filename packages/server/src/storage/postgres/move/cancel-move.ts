import { requireOptions } from "@platform-rpc/options";
import { betweenCells } from "../../option-rules.js";
import { type Assignment, connect, MoveTenantError, type MovingCell, readAssignment, setState } from "./assignment.js";

/** The move that is given up. */
export interface CancelMoveOptions {
  readonly tenantId: string;
  readonly from: MovingCell;
  readonly to: MovingCell;
}

/**
 * Gives up a move that was interrupted before the old cell handed the tenant over: the old cell serves it on, with its writes. What has
 * arrived in the new cell can then be removed with `removeMovedTenant`. A `moveTenant` that is still running fails.
 *
 * @example
 * ```ts
 * import { cancelMove, migratePostgresDatabase, MoveTenantError } from "@platform-rpc/server/postgres";
 *
 * await migratePostgresDatabase({ url: databaseUrl });
 * // Two cells have two databases.
 * const [from, to] = [{ name: "a", url: databaseUrl }, { name: "b", url: databaseUrl }] as const;
 * const cancelled = await cancelMove({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(cancelled instanceof MoveTenantError ? cancelled.reason : "cancelled");
 * // not_moving
 * ```
 *
 * @throws MoveTenantError "not_moving" if there is no such move, or the old cell has handed the tenant over; "claimed" if another command
 *   changes the tenant's state meanwhile; "unreachable" if the database of a cell cannot be reached. If that is the new cell, the old one
 *   serves, and the same call later lets the new cell forget the move.
 */
export async function cancelMove(options: CancelMoveOptions): Promise<void> {
  requireOptions("cancelMove", options, betweenCells);
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const source = await connect(from, stack);
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
    // Also if it serves: a move that is still copying must not pause it.
    if (old?.state !== "serving" && !isPaused(old)) return;
    await setState(source, tenantId, old, { state: "serving", peer: "", move: "" });
  };
  const target = await connect(to, stack).catch(async (error: MoveTenantError) => {
    await serveOn(await readOld());
    throw new MoveTenantError(
      error.reason,
      `${error.message} Writes of the tenant ${tenantId} are not paused. Cancel the move again when ${to.name} can be reached.`,
      { cause: error.cause },
    );
  });
  // Before the state in the old cell is read: a move that begins after that changes this one, and is not cancelled.
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
  if (arrives) await setState(target, tenantId, next, { state: "moved", peer: from.name, move: "" });
}
