import type pg from "pg";
import type { DataCopyOptions } from "../from-sqlite/copy-sqlite-to-postgres.js";
import { connect, type MovingCell, readAssignment, readKeysId } from "../move/assignment.js";

/** Where a move from SQLite is. */
export type SqliteMoveStep = "copied" | "renamed" | "serving";

/** What is moved. */
export interface MoveSqliteTenantOptions extends Pick<DataCopyOptions, "contentKey" | "keysId"> {
  readonly tenantId: string;
  /** The SQLite database file with the tenant. No process may use it. */
  readonly path: string;
  readonly to: MovingCell;
  /** The other cells. The move fails if one of them serves, or has served, the tenant. */
  readonly others: readonly MovingCell[];
  /** Tenants that each installation has, such as that of its administrators. They are not moved. */
  readonly ownTenants: readonly string[];
  /** Called with each step. If it rejects, the move ends as after any error. */
  readonly onStep?: (step: SqliteMoveStep) => unknown;
}

/** Thrown when a tenant was not moved from SQLite. */
export class MoveSqliteTenantError extends Error {
  override readonly name = "MoveSqliteTenantError";

  constructor(
    /**
     * - `not_found`: the file does not contain the tenant.
     * - `several_tenants`: the file contains other tenants, too.
     * - `claimed`: a cell serves, has served, or has data of the tenant.
     * - `two_files`: there is a file of an interrupted move, and a new one.
     * - `other_keys`: the cell was last used with other keys.
     */
    readonly reason: "not_found" | "several_tenants" | "claimed" | "two_files" | "other_keys",
    message: string,
  ) {
    super(message);
  }
}

/** Fails if another cell has anything to say about the tenant: the file is not its newest state. */
export async function requireUnknown({ tenantId, others }: MoveSqliteTenantOptions): Promise<void> {
  for (const cell of others) {
    await using stack = new AsyncDisposableStack();
    const known = await readAssignment(await connect(cell, stack), tenantId);
    if (known === undefined) continue;
    throw claimed(`The cell ${cell.name} knows the tenant ${tenantId}: its state there is "${known.state}".`);
  }
}

/** Returns whether the new cell serves the tenant already, and fails if the tenant may not move there. */
export async function isServed(
  client: pg.ClientBase,
  { tenantId, to, keysId }: MoveSqliteTenantOptions,
): Promise<boolean> {
  const last = await readKeysId(client);
  if (last !== undefined && last !== keysId) {
    throw new MoveSqliteTenantError(
      "other_keys",
      `The cell ${to.name} was last used with the keys ${last}, and these are the keys ${keysId}. ` +
        "All cells and the SQLite database must have been used with the same KEYS_FILE.",
    );
  }
  const known = await readAssignment(client, tenantId);
  if (known?.state === "moved") {
    throw claimed(`The cell ${to.name} has served the tenant ${tenantId}, and gave it to ${known.peer}.`);
  }
  if (known?.state === "arriving") {
    throw claimed(`Another move of the tenant ${tenantId} to ${to.name}, from ${known.peer}, is not finished.`);
  }
  return known !== undefined;
}

/** Fails if the file contains another tenant, or not this one. */
export function requireOnly(found: readonly string[], { tenantId, path, ownTenants }: MoveSqliteTenantOptions): void {
  const tenants = found.filter((id) => !ownTenants.includes(id));
  if (!tenants.includes(tenantId)) {
    const others = tenants.length === 0 ? "It has none." : `It has ${tenants.join(", ")}.`;
    throw new MoveSqliteTenantError("not_found", `The database ${path} has no tenant ${tenantId}. ${others}`);
  }
  if (tenants.length === 1) return;
  throw new MoveSqliteTenantError(
    "several_tenants",
    `The database ${path} has several tenants: ${tenants.join(", ")}. Copy it to a PostgreSQL database of its own with migrate-data, ` +
      "make that a cell with assign-tenant, once for each tenant, and move the tenants from there.",
  );
}

export function claimed(what: string): MoveSqliteTenantError {
  return new MoveSqliteTenantError("claimed", `${what} Nothing was changed.`);
}
