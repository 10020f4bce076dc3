import pg from "pg";

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
     * - `unreachable`: the database of a cell cannot be reached; `cause` is the error of the driver.
     */
    readonly reason: "not_served" | "claimed" | "differs" | "not_moved" | "not_moving" | "unreachable",
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

/** Connects to the database of a cell, until the stack is disposed. @throws MoveTenantError "unreachable" */
export async function connect({ name, url }: MovingCell, stack: AsyncDisposableStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: "platform move-tenant" });
  // A statement that is under way fails, too.
  client.on("error", () => {});
  await client.connect().catch((cause: Error & { readonly code?: string }) => {
    // An error of several addresses has no message.
    const why = cause.message || cause.code;
    throw new MoveTenantError("unreachable", `The database of the cell ${name} cannot be reached: ${why}.`, { cause });
  });
  stack.defer(() => client.end());
  return client;
}

/** Returns the state of a tenant in a cell, if it has one. */
export async function readAssignment(client: pg.ClientBase, tenantId: string): Promise<Assignment | undefined> {
  const sql = "SELECT state, peer, move_id AS move, revision::integer AS revision FROM tenants WHERE tenant_id = $1";
  const { rows } = await client.query<Assignment>(sql, [tenantId]);
  return rows[0];
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
  throw new MoveTenantError("claimed", `Something else has changed the state of the tenant ${tenantId} meanwhile.`);
}
