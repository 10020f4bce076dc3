import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ofType, requireOptions } from "@platform-rpc/options";
import type pg from "pg";
import { betweenCells, onStep } from "../../option-rules.js";
import { createPostgresAuditTrail } from "../audit-trail.js";
import { PostgresInUseError, rejectOtherUse } from "../cell.js";
import {
  type Assignment,
  callFunctionOf,
  changed,
  connect,
  MoveTenantError,
  type MovingCell,
  readAssignment,
  readKeysId,
  requireUnchanged,
  setState,
  whileUnchanged,
} from "./assignment.js";
import { type Databases, syncTable } from "./sync-table.js";
import { tenantTables } from "./tenant-tables.js";

/** Where a move is. */
export type MoveStep = "copying" | "paused" | "compared" | "handed over" | "serving";

/** What is moved. */
export interface MoveTenantOptions {
  readonly tenantId: string;
  readonly from: MovingCell;
  readonly to: MovingCell;
  /** The move fails if the new cell has had the tenant before: what the old cell has is older. Default: false. */
  readonly isNew?: boolean;
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

/** Passes are repeated until one changes at most this number of rows, or more than half of what the one before it has changed. */
const fewRows = 500;

/**
 * Moves a tenant to another cell while it is served. Everything is copied; then the old cell pauses the writes of the tenant, what has
 * changed is copied, every row is compared, and the new cell serves. At every moment at most one cell serves the tenant: each step is one
 * conditional write, and the old cell gives the tenant up before the new one takes it.
 *
 * After an error before that, the old cell serves again. A move that was interrupted continues with the same call, and ends as after any
 * error if the new cell cannot be reached any more. `cancelMove` gives it up.
 *
 * @example
 * ```ts
 * import { MoveTenantError, moveTenant } from "@platform-rpc/server/postgres";
 *
 * // Two cells have two databases.
 * const [from, to] = [{ name: "a", url: databaseUrl }, { name: "b", url: databaseUrl }] as const;
 * const moved = await moveTenant({ tenantId: "unknown", from, to }).catch((error) => error);
 * console.log(moved instanceof MoveTenantError ? moved.reason : moved.pausedMs);
 * // not_served
 * ```
 *
 * @throws MoveTenantError
 */
export async function moveTenant(options: MoveTenantOptions): Promise<MovedTenant> {
  requireOptions("moveTenant", options, { ...betweenCells, isNew: ofType("boolean"), onStep });
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const source = await connect(from, stack);
  const states: KnownStates = { old: undefined, arriving: undefined };
  try {
    return await move(options, { source, target: await connect(to, stack), states });
  } catch (error) {
    const reason = error instanceof MoveTenantError ? error.reason : undefined;
    const now = await readAssignment(source, tenantId).catch(() => undefined);
    // Otherwise the tenant could not be written to until somebody starts the move again. Another command may have paused it.
    const isOwn = reason !== "claimed" || now?.revision === states.old?.revision;
    if (isOwn && now?.state === "paused" && now.peer === to.name) {
      await setState(source, tenantId, now, { state: "serving", peer: "", move: "" }).catch(() => {});
    }
    if (error instanceof MoveTenantError && reason === "unreachable" && now?.state === "moved") {
      const waits = `The cell ${from.name} has handed the tenant over, so no cell serves it until this move is finished.`;
      throw new MoveTenantError(reason, `${error.message} ${waits}`, { cause: error.cause });
    }
    throw error;
  }
}

/** The newest states that a move has read or written. */
interface KnownStates {
  /** In the old cell. */
  old: Assignment | undefined;
  /** In the new cell, while this move copies. */
  arriving: Assignment | undefined;
}

async function move(
  { tenantId, from, to, isNew = false, onStep }: MoveTenantOptions,
  { source, target, states }: Pick<Databases, "source" | "target"> & { readonly states: KnownStates },
): Promise<MovedTenant> {
  const id = randomUUID();
  let copied = 0;
  let pausedAt: number | undefined;

  /** Whether half of the time is left to the callers of both cells. */
  let rests = true;
  const work = async <Result>(part: () => Promise<Result>): Promise<Result> => {
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
  const writing: Databases["writing"] = async (write) => {
    if (states.old === undefined || states.arriving === undefined) throw new TypeError("Nothing is read yet.");
    // What was read is of this state. Meanwhile another command may have moved the tenant, and removed it here.
    await requireUnchanged(source, tenantId, states.old);
    return whileUnchanged(target, { tenantId, expected: states.arriving }, write);
  };
  const sync = async () => {
    const pass = { changed: 0, unequal: 0 };
    for (const table of tenantTables) {
      const { changed, unequal } = await syncTable(table, tenantId, { source, target, writing, work, inBoth });
      pass.changed += changed;
      pass.unequal += unequal;
    }
    copied += pass.changed;
    return pass;
  };
  const reached = async (step: MoveStep) => {
    await onStep?.(step, copied);
  };

  // In this order: if the new cell is in this state later, the tenant has not been there since the old one was asked.
  const next = await readAssignment(target, tenantId);
  const found = await readAssignment(source, tenantId);
  if (isServed(next) && found?.state === "moved" && found.peer === to.name) return { copied: 0, pausedMs: 0 };
  if (next === undefined) await rejectUse(target, to);
  const old = requireMovable({ tenantId, from, to, isNew }, { old: found, next });
  states.old = old;
  await requireSameKeys({ from, to }, { source, target });

  if (old.state !== "moved") {
    // Also if it arrives already: another command that copies, or cancels an earlier move, must not go on.
    states.arriving = await setState(target, tenantId, next, { state: "arriving", peer: from.name, move: id });
  }
  if (old.state === "serving") {
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
    states.old = await setState(source, tenantId, old, { state: "paused", peer: to.name, move: id });
  }
  rests = false;
  if (states.arriving !== undefined) {
    pausedAt = performance.now();
    await reached("paused");
    await sealTrail(source, tenantId);
    for (let pass = 0; (await sync()).unequal > 0; pass += 1) {
      if (pass === 5) throw new MoveTenantError("differs", `The copy of the tenant ${tenantId} does not become equal.`);
    }
    await raisePositions(target, tenantId);
    await reached("compared");
    await requireUnchanged(target, tenantId, states.arriving);
    states.old = await setState(source, tenantId, states.old, { state: "moved", peer: to.name, move: id });
    await reached("handed over");
  }
  // In this order, and from these states only: another command may have finished this move, and moved the tenant on, or back.
  const ready = await readAssignment(target, tenantId);
  const left = await readAssignment(source, tenantId);
  const isHandedOver = left?.state === "moved" && left.peer === to.name;
  if (!isHandedOver || ready?.state !== "arriving" || ready.peer !== from.name) throw changed(tenantId);
  await setState(target, tenantId, ready, { state: "serving", peer: "", move: "" });
  const pausedMs = pausedAt === undefined ? 0 : performance.now() - pausedAt;
  await reached("serving");
  return { copied, pausedMs };
}

const isServed = (found: Assignment | undefined) => found?.state === "serving" || found?.state === "paused";

/** Returns the state in the old cell if those of both allow to begin, or to continue, the move. @throws MoveTenantError */
function requireMovable(
  { tenantId, from, to, isNew }: Pick<MoveTenantOptions, "tenantId" | "from" | "to" | "isNew">,
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
  if (isNew === true && next?.state === "moved") {
    throw claimed(`The cell ${to.name} has served the tenant ${tenantId}, and gave it to ${next.peer}.`);
  }
  if (old.state !== "serving" && next?.state !== "arriving") {
    // It may have moved on: then what the new cell has of it is old.
    throw claimed(`The cell ${to.name} does not expect the tenant ${tenantId} from ${from.name} any more.`);
  }
  return old;
}

/** Fails if the new database is not a cell yet, and processes without CELL use it: they would serve the tenant. @throws MoveTenantError "unusable" */
async function rejectUse(target: pg.ClientBase, { name }: MovingCell): Promise<void> {
  await rejectOtherUse({ call: callFunctionOf(target) }).catch((error: unknown) => {
    if (!(error instanceof PostgresInUseError)) throw error;
    throw new MoveTenantError("unusable", `The database of the cell ${name} cannot be used. ${error.message}`);
  });
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

/**
 * Lets the positions of the cell go on after those of the tenant, so that its next row is the newest of its trail. Also if they are equal:
 * a sequence that was never used has the last value 1, and gives 1 next.
 */
async function raisePositions(client: pg.ClientBase, tenantId: string): Promise<void> {
  const { rows } = await client.query<{ behind: boolean }>(
    `SELECT coalesce(max(position), 0) >= (SELECT last_value FROM audit_positions) AS behind FROM arrived_audit WHERE subject_tenant_id = $1`,
    [tenantId],
  );
  if (rows[0]?.behind !== true) return;
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL lock_timeout = '2s'");
    // Nobody takes a position meanwhile.
    await client.query("LOCK TABLE audit IN SHARE MODE");
    await client.query(
      `SELECT setval('audit_positions', greatest((SELECT last_value FROM audit_positions),
        (SELECT max(position) FROM arrived_audit WHERE subject_tenant_id = $1)))`,
      [tenantId],
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
