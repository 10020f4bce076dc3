import { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { boundKeys } from "../../../domain/bound-keys.js";
import { installation } from "../../../domain/model/collection.js";
import { PostgresInUseError, rejectOtherUse } from "../cell.js";
import type { CallFunction } from "../database/database.js";
import { PostgresOwnerRequiredError, requireOwner } from "../migrate.js";

/** A cell of a move. */
export interface MovingCell {
  /** The name of the cell. */
  readonly name: string;
  /** The URL of its database, as its owner. */
  readonly url: string;
}

/** Thrown when a tenant was not moved. */
export class MoveTenantError extends Error {
  override readonly name = "MoveTenantError";

  constructor(
    /**
     * - `not_served`: the old cell does not serve the tenant.
     * - `claimed`: the new cell serves the tenant, or another move is under way.
     * - `differs`: the copy does not become equal.
     * - `not_moved`: the tenant has not left the cell in which it is to be removed.
     * - `not_moving`: there is no move to cancel.
     * - `other_keys`: the cells were last used with different keys.
     * - `unusable`: the database of a cell has no tables, its URL is not that of their owner, or processes without CELL use it.
     * - `unreachable`: the database of a cell cannot be reached; `cause` is the error of the driver.
     */
    readonly reason:
      | "not_served"
      | "claimed"
      | "differs"
      | "not_moved"
      | "not_moving"
      | "other_keys"
      | "unusable"
      | "unreachable",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The state of a tenant in a cell: see `schema/tenants.ts`. */
export interface Assignment {
  readonly state: "arriving" | "serving" | "paused" | "moved";
  readonly peer: string;
  readonly move: string;
  readonly revision: number;
}

/** How long a connection may take, in milliseconds. Meanwhile the writes of the tenant may be paused. */
const connectTimeout = 10_000;

/** How long a statement may take, in milliseconds: 100 000 rows are compared in about a second. */
const statementTimeout = 120_000;

/**
 * Connects to the database of a cell, until the stack is disposed.
 *
 * @param timeout how long a statement may take, in milliseconds. 0: any time.
 * @throws MoveTenantError "unreachable", "unusable"
 */
export async function connect(
  { name, url }: MovingCell,
  stack: AsyncDisposableStack,
  timeout = statementTimeout,
): Promise<pg.Client> {
  const socket = new Socket();
  const client = new pg.Client({
    ...{ connectionString: url, application_name: "platform move-tenant", keepAlive: true },
    ...{ connectionTimeoutMillis: connectTimeout, query_timeout: timeout, stream: () => socket },
  });
  // A statement that is under way fails, too.
  client.on("error", () => {});
  await client.connect().catch((cause: Error & { readonly code?: string }) => {
    // An error of several addresses has no message.
    const why = cause.message || cause.code;
    throw new MoveTenantError("unreachable", `The database of the cell ${name} cannot be reached: ${why}.`, { cause });
  });
  stack.defer(async () => {
    // A server that hangs does not end a connection.
    await Promise.race([client.end(), setTimeout(1_000, undefined, { ref: false })]);
    socket.destroy();
  });
  await requireOwner({ call: callFunctionOf(client) }).catch((error: unknown) => {
    if (!(error instanceof PostgresOwnerRequiredError)) throw error;
    throw new MoveTenantError("unusable", `The database of the cell ${name} cannot be used. ${error.message}`);
  });
  return client;
}

/** Returns the function that calls a function of the database on a connection. */
export function callFunctionOf(client: pg.ClientBase): CallFunction {
  return async <Result>(text: string, ...values: readonly unknown[]) => {
    const { rows } = await client.query<Result[]>({ text, values: [...values], rowMode: "array" });
    return rows[0]?.[0] as Result;
  };
}

/** Returns the state of a tenant in a cell, if it has one. */
export async function readAssignment(client: pg.ClientBase, tenantId: string): Promise<Assignment | undefined> {
  const sql = "SELECT state, peer, move_id AS move, revision::integer AS revision FROM tenants WHERE tenant_id = $1";
  const { rows } = await client.query<Assignment>(sql, [tenantId]);
  return rows[0];
}

/** @throws MoveTenantError "claimed" if the state of a tenant is not the one that was read */
export async function requireUnchanged(
  client: pg.ClientBase,
  tenantId: string,
  { revision }: Pick<Assignment, "revision">,
): Promise<void> {
  if ((await readAssignment(client, tenantId))?.revision !== revision) throw changed(tenantId);
}

/**
 * Works in a transaction, until whose end nobody changes the state of a tenant. If it rejects, the transaction ends with the connection: the
 * command has failed, and a server that hangs would not answer.
 *
 * @throws MoveTenantError "claimed" if the state is not the one that was read
 */
export async function whileUnchanged<Result>(
  client: pg.ClientBase,
  { tenantId, expected }: { readonly tenantId: string; readonly expected: Assignment },
  work: () => Promise<Result>,
): Promise<Result> {
  // A command that is stopped must not hold the lock of the tenant.
  await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'");
  // Whoever changes the state holds the lock alone.
  await client.query("SELECT pg_advisory_xact_lock_shared(platform_tenant_lock($1))", [tenantId]);
  await requireUnchanged(client, tenantId, expected);
  const result = await work();
  await client.query("COMMIT");
  return result;
}

/** Changes the state of a tenant from the one that was read. @throws MoveTenantError "claimed" if it is another one now */
export async function setState(
  client: pg.ClientBase,
  tenantId: string,
  before: Assignment | undefined,
  { state, peer, move }: Omit<Assignment, "revision">,
): Promise<Assignment> {
  const revision = before?.revision ?? 0;
  const { rows } = await client.query<{ set: boolean }>("SELECT platform_set_tenant($1, $2, $3, $4, $5) AS set", [
    ...[tenantId, revision, state, peer, move],
  ]);
  if (rows[0]?.set === true) return { state, peer, move, revision: revision + 1 };
  throw changed(tenantId);
}

export function changed(tenantId: string): MoveTenantError {
  return new MoveTenantError(
    "claimed",
    `Another command has changed the state of the tenant ${tenantId} meanwhile: another move, or cancel-move.`,
  );
}

/** Fails if the new database is not a cell yet, and processes without CELL use it: they would serve the tenant. @throws MoveTenantError "unusable" */
export async function rejectUse(target: pg.ClientBase, { name }: MovingCell): Promise<void> {
  await rejectOtherUse({ call: callFunctionOf(target) }).catch((error: unknown) => {
    if (!(error instanceof PostgresInUseError)) throw error;
    throw new MoveTenantError("unusable", `The database of the cell ${name} cannot be used. ${error.message}`);
  });
}

/** Returns the id of the keys that a cell was last used with. Undefined: none yet. */
export async function readKeysId(client: pg.ClientBase): Promise<string | undefined> {
  const { tenantId, collection, key } = boundKeys.key(installation, installation);
  const { rows } = await client.query<{ id: string }>(
    "SELECT value::jsonb->>'keysId' AS id FROM records WHERE tenant_id = $1 AND collection = $2 AND key = $3",
    [tenantId, collection, key],
  );
  return rows[0]?.id;
}
