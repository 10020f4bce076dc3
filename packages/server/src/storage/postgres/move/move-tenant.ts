import { setTimeout } from "node:timers/promises";
import { isSignal, may, requireOptions } from "@platform-rpc/options";
import type pg from "pg";
import { betweenCells, onStep } from "../../option-rules.js";
import { createPostgresAuditTrail } from "../audit-trail.js";
import {
  type Assignment,
  callFunctionOf,
  connectAlone,
  inTransaction,
  MoveTenantError,
  type MovingCell,
  readAssignment,
  readKeysId,
  rejectUse,
  setState,
} from "./assignment.js";
import { raisePositions } from "./raise-positions.js";
import { type Databases, syncTable } from "./sync-table.js";
import { tenantTables } from "./tenant-tables.js";

/** Where a move is. */
export type MoveStep = "copying" | "paused" | "compared" | "handed over" | "serving";

/** What is moved. */
export interface MoveTenantOptions {
  readonly tenantId: string;
  readonly from: MovingCell;
  readonly to: MovingCell;
  /** Ends the move with an error, unless the old cell has handed the tenant over. */
  readonly signal?: AbortSignal;
  /** Called with each step, and the rows that were copied so far. If it rejects, the move ends as after any error. */
  readonly onStep?: (step: MoveStep, copied: number) => unknown;
}

/** The result of a move. */
export interface MovedTenant {
  /** The rows that were copied. */
  readonly copied: number;
  /** For how long the tenant could not be written to, in milliseconds. 0: an earlier call had handed it over. */
  readonly pausedMs: number;
}

const aSignal = may("be an AbortSignal", isSignal);

/** Passes are repeated until one changes at most this number of rows, or more than half of what the one before it has changed. */
const fewRows = 500;

/**
 * Moves a tenant to another cell while it is served. Everything is copied; then the old cell pauses the writes of the tenant, what has
 * changed is copied, every row is compared, and the new cell serves. At every moment at most one cell serves the tenant: the old cell
 * gives the tenant up before the new one takes it, and no other command works on the tenant meanwhile.
 *
 * After an error before that, the old cell serves again. A move that was interrupted continues with the same call, and ends as after any
 * error if the new cell cannot be reached any more. `cancelMove` gives it up.
 *
 * @example
 * ```ts
 * import { MoveTenantError, moveTenant } from "@platform-rpc/server/postgres";
 *
 * const from = { name: "a", url: databaseUrl };
 * const to = { name: "b", url: "postgres://owner@127.0.0.1:1/none" };
 * const moved = await moveTenant({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(moved instanceof MoveTenantError ? moved.reason : moved.pausedMs);
 * // unreachable
 * ```
 *
 * @throws MoveTenantError
 */
export async function moveTenant(options: MoveTenantOptions): Promise<MovedTenant> {
  requireOptions("moveTenant", options, { ...betweenCells, signal: aSignal, onStep });
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const source = await connectAlone(from, tenantId, stack);
  try {
    return await move(options, { source, target: await connectAlone(to, tenantId, stack) });
  } catch (error) {
    const now = await readAssignment(source, tenantId).catch(() => undefined);
    // Otherwise the tenant could not be written to until somebody starts the move again.
    if (now?.state === "paused" && now.peer === to.name) {
      await setState(source, tenantId, now, "serving").catch(() => {});
    }
    if (error instanceof MoveTenantError && error.reason === "unreachable" && now?.state === "moved") {
      const waits = `The cell ${from.name} has handed the tenant over, so no cell serves it until this move is finished.`;
      throw new MoveTenantError(error.reason, `${error.message} ${waits}`, { cause: error.cause });
    }
    throw error;
  }
}

async function move(
  { tenantId, from, to, signal, onStep }: MoveTenantOptions,
  { source, target }: Pick<Databases, "source" | "target">,
): Promise<MovedTenant> {
  let copied = 0;
  /** Whether half of the time is left to the callers of both cells. */
  let rests = true;
  const work = async <Result>(part: () => Promise<Result>): Promise<Result> => {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const result = await part();
    if (rests) await setTimeout(performance.now() - startedAt);
    return result;
  };
  /** One after the other while it rests: the databases may share a machine. */
  const inBoth: Databases["inBoth"] = async (part) =>
    rests
      ? [await work(() => part("source")), await work(() => part("target"))]
      : Promise.all([part("source"), part("target")]);
  const sync = async () => {
    const pass = { changed: 0, unequal: 0 };
    for (const table of tenantTables) {
      const { changed, unequal } = await syncTable(table, tenantId, { source, target, work, inBoth });
      pass.changed += changed;
      pass.unequal += unequal;
    }
    copied += pass.changed;
    return pass;
  };
  const reached = async (step: MoveStep) => {
    await onStep?.(step, copied);
  };

  let next = await readAssignment(target, tenantId);
  const found = await readAssignment(source, tenantId);
  if (isServed(next) && found?.state === "moved" && found.peer === to.name) return { copied: 0, pausedMs: 0 };
  if (next === undefined) await rejectUse(target, to);
  let old = requireMovable({ tenantId, from, to }, { old: found, next });
  await requireSameKeys({ from, to }, { source, target });

  let pausedAt: number | undefined;
  if (old.state === "serving") {
    if (next?.state !== "arriving") next = await setState(target, tenantId, next, "arriving", from.name);
    await reached("copying");
    let { changed } = await sync();
    let before = Number.POSITIVE_INFINITY;
    while (changed > fewRows && changed < before / 2) {
      before = changed;
      ({ changed } = await sync());
    }
    // What this pass leaves is copied while writes are paused. It rests, unless rows change faster than a resting pass copies them.
    rests = changed < 2 * before;
    await sealTrail(source, tenantId);
    await sync();
    old = await setState(source, tenantId, old, "paused", to.name);
  }
  rests = false;
  if (old.state === "paused") {
    pausedAt = performance.now();
    await reached("paused");
    await sealTrail(source, tenantId);
    for (let pass = 0; (await sync()).unequal > 0; pass += 1) {
      if (pass === 5) throw new MoveTenantError("differs", `The copy of the tenant ${tenantId} does not become equal.`);
    }
    await inTransaction(target, () => raisePositions(target, tenantId));
    await reached("compared");
    signal?.throwIfAborted();
    await setState(source, tenantId, old, "moved", to.name);
    await reached("handed over");
  }
  await setState(target, tenantId, next, "serving");
  const pausedMs = pausedAt === undefined ? 0 : performance.now() - pausedAt;
  await reached("serving");
  return { copied, pausedMs };
}

const isServed = (found: Assignment | undefined) => found?.state === "serving" || found?.state === "paused";

/** Returns the state in the old cell if those of both allow to begin, or to continue, the move. @throws MoveTenantError */
function requireMovable(
  { tenantId, from, to }: Pick<MoveTenantOptions, "tenantId" | "from" | "to">,
  { old, next }: { readonly old: Assignment | undefined; readonly next: Assignment | undefined },
): Assignment {
  const claimed = (message: string) => new MoveTenantError("claimed", message);
  if (old === undefined || (old.state !== "serving" && old.peer !== to.name)) {
    throw new MoveTenantError("not_served", `The cell ${from.name} does not serve the tenant ${tenantId}.`);
  }
  for (const [found, expected, cell] of [
    [old, undefined, from],
    [next, from.name, to],
  ] as const) {
    if (found?.state !== "arriving" || found.peer === expected) continue;
    const unfinished = `The move of the tenant ${tenantId} from ${found.peer} to ${cell.name} is not finished.`;
    throw claimed(`${unfinished} Finish or cancel that one first.`);
  }
  if (isServed(next)) throw claimed(`The cell ${to.name} serves the tenant ${tenantId}, too.`);
  if (old.state !== "serving" && next?.state !== "arriving") {
    // It may have moved on: then what the new cell has of it is old.
    throw claimed(`The cell ${to.name} does not expect the tenant ${tenantId} from ${from.name} any more.`);
  }
  return old;
}

/** Fails if the new cell could not read the contents of items. @throws MoveTenantError "other_keys" */
async function requireSameKeys(
  { from, to }: Pick<MoveTenantOptions, "from" | "to">,
  { source, target }: Pick<Databases, "source" | "target">,
): Promise<void> {
  const [old, next] = [await readKeysId(source), await readKeysId(target)];
  if (old === undefined || next === undefined || old === next) return;
  throw new MoveTenantError(
    "other_keys",
    `The cell ${from.name} was last used with the keys ${old}, and the cell ${to.name} with the keys ${next}: it could not read the ` +
      "contents of items. Use the same KEYS_FILE for all cells.",
  );
}

/** Seals the audit trail until every row of the tenant has a seal: the new cell continues its chain. */
async function sealTrail(client: pg.ClientBase, tenantId: string): Promise<void> {
  const call = callFunctionOf(client);
  const trail = createPostgresAuditTrail({ read: call, readOf: () => call, call });
  const unsealed = `
    SELECT EXISTS (SELECT FROM audit WHERE subject_tenant_id = $1
      AND position > coalesce((SELECT max(position) FROM audit_seals), 0))`;
  for (;;) {
    const { rows } = await trail.sealAudit(10_000);
    if (rows > 0) continue;
    if (!(await call<boolean>(unsealed, tenantId))) return;
    // A process of the cell seals them.
    await setTimeout(10);
  }
}
