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
     * - `claimed`: the new cell serves the tenant, or another command works on it.
     * - `differs`: the copy does not become equal.
     * - `not_moved`: the tenant has not left the cell in which it is to be removed.
     * - `not_moving`: there is no move to cancel.
     * - `other_keys`: the cells were last used with different keys.
     * - `unusable`: the database of a cell has no tables, its URL is not that of their owner or leads to a pooler, or processes without
     *   CELL use it.
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
  /** The other cell of a move. Empty: none. */
  readonly peer: string;
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
  // Without a listener, a lost connection would end the process. The statement that is under way rejects.
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

/** The seed for the keys of the locks of moves: "move" in ASCII. With the seed of commits, a move would block them. */
const lockOfMoves = 1836021349;

/**
 * Connects to the database of a cell as the only command that works on a tenant there, until the stack is disposed, or the process or its
 * machine ends. A command that needs two cells first connects to the one that the tenant leaves.
 *
 * @throws MoveTenantError "claimed" if another command works on the tenant; and as `connect` does
 */
export async function connectAlone(
  cell: MovingCell,
  tenantId: string,
  stack: AsyncDisposableStack,
  timeout?: number,
): Promise<pg.Client> {
  const client = await connect(cell, stack, timeout);
  await rejectPooler(client, cell);
  // A machine that is gone would hold the lock for hours. A command that was killed a moment ago ends with its last statement.
  await client.query(
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET lock_timeout = '2s'",
  );
  const lock = "SELECT pg_advisory_lock(hashtextextended($1, $2))";
  await client.query(lock, [tenantId, lockOfMoves]).catch((error: Error & { readonly code?: string }) => {
    // lock_not_available
    if (error.code !== "55P03") throw error;
    throw new MoveTenantError(
      "claimed",
      `Another command works on the tenant ${tenantId} in the cell ${cell.name}. Wait until it has ended, or end it: Ctrl+C cancels a move.`,
    );
  });
  await client.query("RESET lock_timeout");
  return client;
}

/** Behind a pooler, others would share the session, and its lock. The process id that a pooler sends is not that of PostgreSQL. */
async function rejectPooler(client: pg.Client & { readonly processID?: number }, { name }: MovingCell): Promise<void> {
  if ((await callFunctionOf(client)("SELECT pg_backend_pid()")) === client.processID) return;
  throw new MoveTenantError(
    "unusable",
    `The URL of the cell ${name} leads to PgBouncer, or another pooler. Name the address of PostgreSQL itself.`,
  );
}

export function callFunctionOf(client: pg.ClientBase): CallFunction {
  return async <Result>(text: string, ...values: readonly unknown[]) => {
    const { rows } = await client.query<Result[]>({ text, values: [...values], rowMode: "array" });
    return rows[0]?.[0] as Result;
  };
}

export async function readAssignment(client: pg.ClientBase, tenantId: string): Promise<Assignment | undefined> {
  const sql = "SELECT state, peer, revision::integer AS revision FROM tenants WHERE tenant_id = $1";
  const { rows } = await client.query<Assignment>(sql, [tenantId]);
  return rows[0];
}

/**
 * Works in a transaction. If it rejects, the transaction ends with the connection: the command has failed, and a server that hangs would
 * not answer.
 */
export async function inTransaction<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query("BEGIN");
  const result = await work();
  await client.query("COMMIT");
  return result;
}

/**
 * Changes the state of a tenant from the one that was read.
 *
 * @param peer the other cell of a move. Default: none.
 * @throws MoveTenantError "claimed" if it is another one now: the tenant was assigned meanwhile
 */
export async function setState(
  client: pg.ClientBase,
  tenantId: string,
  before: Assignment | undefined,
  state: Assignment["state"],
  peer = "",
): Promise<Assignment> {
  const revision = before?.revision ?? 0;
  const sql = "SELECT platform_set_tenant($1, $2, $3, $4)";
  const isSet = await callFunctionOf(client)<boolean>(sql, tenantId, revision, state, peer);
  if (isSet) return { state, peer, revision: revision + 1 };
  throw new MoveTenantError("claimed", `Another command has changed the state of the tenant ${tenantId} meanwhile.`);
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
  const sql = "SELECT value::jsonb->>'keysId' FROM records WHERE tenant_id = $1 AND collection = $2 AND key = $3";
  return callFunctionOf(client)<string | undefined>(sql, tenantId, collection, key);
}
