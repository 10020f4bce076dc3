import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { createPostgresAuditTrail } from "../audit-trail.js";
import {
  callFunctionOf,
  connect,
  MoveTenantError,
  type MovingCell,
  readAssignment,
  readKeysId,
  setState,
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
  const { tenantId, from, to } = options;
  await using stack = new AsyncDisposableStack();
  const source = await connect(from, stack);
  try {
    return await move(options, { source, target: await connect(to, stack) });
  } catch (error) {
    // Otherwise the tenant could not be written to until somebody starts the move again. Another command may have decided about it.
    const isClaimed = error instanceof MoveTenantError && error.reason === "claimed";
    const now = isClaimed ? undefined : await readAssignment(source, tenantId).catch(() => undefined);
    if (now?.state === "paused" && now.peer === to.name) {
      await setState(source, tenantId, now, { state: "serving", peer: "", move: "" }).catch(() => {});
    }
    throw error;
  }
}

async function move(
  { tenantId, from, to, onStep }: MoveTenantOptions,
  { source, target }: Pick<Databases, "source" | "target">,
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

  let old = await readAssignment(source, tenantId);
  const next = await readAssignment(target, tenantId);
  if (old === undefined || (old.state !== "serving" && old.peer !== to.name)) {
    throw new MoveTenantError("not_served", `The cell ${from.name} does not serve the tenant ${tenantId}.`);
  }
  const other = [
    { at: from, found: old.state === "arriving" ? old : undefined },
    { at: to, found: next?.state === "arriving" && next.peer !== from.name ? next : undefined },
  ].find(({ found }) => found !== undefined);
  if (other !== undefined) {
    throw new MoveTenantError(
      "claimed",
      `The move of the tenant ${tenantId} from ${other.found?.peer} to ${other.at.name} is not finished. Finish or cancel that one first.`,
    );
  }
  const isServedThere = next?.state === "serving" || next?.state === "paused";
  if (isServedThere && old.state !== "moved") {
    throw new MoveTenantError("claimed", `The cell ${to.name} serves the tenant ${tenantId}, too.`);
  }
  if (isServedThere) return { copied: 0, pausedMs: 0 };
  const [oldKeys, newKeys] = [await readKeysId(source), await readKeysId(target)];
  if (oldKeys !== undefined && newKeys !== undefined && oldKeys !== newKeys) {
    throw new MoveTenantError(
      "other_keys",
      `The cell ${from.name} was last used with the keys ${oldKeys}, and the cell ${to.name} with the keys ${newKeys}: it could not read ` +
        "the contents of items. Use the same KEYS_FILE for all cells.",
    );
  }
  if (old.state !== "serving" && next?.state !== "arriving") {
    // It may have moved on: then what the new cell has of it is old.
    throw new MoveTenantError(
      "claimed",
      `The cell ${to.name} does not expect the tenant ${tenantId} from ${from.name} any more.`,
    );
  }

  if (old.state === "serving") {
    // Also if it arrives already: whoever cancels the earlier move must not end this one.
    await setState(target, tenantId, next, { state: "arriving", peer: from.name, move: id });
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
    old = await setState(source, tenantId, old, { state: "paused", peer: to.name, move: id });
  }
  rests = false;
  if (old.state === "paused") {
    pausedAt = performance.now();
    await reached("paused");
    await sealTrail(source, tenantId);
    for (let pass = 0; (await sync()).unequal > 0; pass += 1) {
      if (pass === 5) throw new MoveTenantError("differs", `The copy of the tenant ${tenantId} does not become equal.`);
    }
    await raisePositions(target, tenantId);
    await reached("compared");
    old = await setState(source, tenantId, old, { state: "moved", peer: to.name, move: old.move });
    await reached("handed over");
  }
  const arriving = await readAssignment(target, tenantId);
  await setState(target, tenantId, arriving, { state: "serving", peer: "", move: "" });
  const pausedMs = pausedAt === undefined ? 0 : performance.now() - pausedAt;
  await reached("serving");
  return { copied, pausedMs };
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

/** Lets the positions of the cell go on after those of the tenant, so that its next row is the newest of its trail. */
async function raisePositions(client: pg.ClientBase, tenantId: string): Promise<void> {
  const { rows } = await client.query<{ behind: boolean }>(
    `SELECT coalesce(max(position), 0) > (SELECT last_value FROM audit_positions) AS behind FROM arrived_audit WHERE subject_tenant_id = $1`,
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
