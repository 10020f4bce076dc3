import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { requireOptions } from "@platform-rpc/options";
import pg from "pg";
import * as rules from "../../option-rules.js";
import { flush } from "../../sqlite/database/flush.js";
import { createContentCipher } from "../content-cipher.js";
import { copiedTables } from "../from-sqlite/copied-tables.js";
import { copySource } from "../from-sqlite/copy-source.js";
import { copyRules, type DataCopyOptions } from "../from-sqlite/copy-sqlite-to-postgres.js";
import { openSource, type Source } from "../from-sqlite/source.js";
import { createTarget, type Target, targetFailed } from "../from-sqlite/target.js";
import {
  connect,
  connectAlone,
  type MovingCell,
  readAssignment,
  readKeysId,
  rejectUse,
  setState,
} from "../move/assignment.js";
import { raisePositions } from "../move/raise-positions.js";
import { tenantTables, tombstones } from "../move/tenant-tables.js";
import { rows as checkedRows, columnsOf } from "../schema/checksum.js";

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

const { url: _, now: _now, ...copyOfTenant } = copyRules;

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

/**
 * Returns the path that a file gets when its tenant moves to a cell.
 *
 * @example
 * ```ts
 * import { movedSqlitePath } from "@platform-rpc/server/postgres";
 *
 * console.log(movedSqlitePath({ path: "data/platform.sqlite", tenantId: "acme", to: { name: "b" } }));
 * // data/platform.sqlite.moved-acme-to-b
 * ```
 */
export function movedSqlitePath({
  path,
  tenantId,
  to,
}: Pick<MoveSqliteTenantOptions, "path" | "tenantId"> & { readonly to: Pick<MovingCell, "name"> }): string {
  return `${path}.moved-${tenantId}-to-${to.name}`;
}

/**
 * Moves the only tenant of a SQLite database to a cell, and returns the number of rows that were written. One transaction of the cell
 * contains the rows, which were compared, and that the cell serves the tenant. The file is renamed before its COMMIT: see
 * `movedSqlitePath`. So at most one place can serve the tenant at every moment, and a file that was renamed is not served by accident.
 *
 * A move that was interrupted at any point starts again with the same call. A move that was finished returns 0.
 *
 * @example
 * ```ts
 * import { DataCopyError, moveSqliteTenant } from "@platform-rpc/server/postgres";
 *
 * const moved = await moveSqliteTenant({
 *   ...{ tenantId: "acme", path: "no-file.sqlite", to: { name: "b", url: databaseUrl } },
 *   ...{ others: [], ownTenants: [], contentKey: new Uint8Array(32), keysId: "" },
 * }).catch((error) => error);
 * console.log(moved instanceof DataCopyError ? moved.reason : moved);
 * // no_source
 * ```
 *
 * @throws MoveSqliteTenantError, MoveTenantError, and the errors of `copySqliteToPostgres`
 */
export async function moveSqliteTenant(options: MoveSqliteTenantOptions): Promise<number> {
  requireOptions("moveSqliteTenant", options, {
    ...copyOfTenant,
    tenantId: rules.id,
    to: rules.cell,
    others: rules.cells,
    ownTenants: rules.ids,
    onStep: rules.onStep,
  });
  const { tenantId, path, to, keysId, onStep } = options;
  const moved = movedSqlitePath(options);
  const wasRenamed = existsSync(moved);
  await requireUnknown(options);
  await using stack = new AsyncDisposableStack();
  const client = await connectAlone(to, tenantId, stack, 0);
  if (await isServed(client, options)) {
    // Only an earlier call has renamed the file, after which the cell has got the tenant.
    if (wasRenamed) return 0;
    throw claimed(`The cell ${to.name} serves the tenant ${tenantId}.`);
  }
  await rejectUse(client, to);
  if (wasRenamed && existsSync(path)) {
    throw new MoveSqliteTenantError(
      "two_files",
      `The move of ${moved} is not finished, and there is a new database ${path}. ` +
        "Stop what uses the new one, move it to another folder, and run the same command again.",
    );
  }
  using source = openSource(wasRenamed ? moved : path, keysId);
  requireOnly(source.tenants(), options);
  source.sealTrail();
  try {
    await client.query("BEGIN");
    const written = await arrive(source, createTarget(client), options);
    await raisePositions(client, tenantId);
    await setState(client, tenantId, undefined, "serving");
    await onStep?.("copied");
    if (!wasRenamed) source.rename(moved);
    // Also after a call that was killed before this.
    flush(dirname(path));
    await onStep?.("renamed");
    await client.query("COMMIT");
    await onStep?.("serving");
    return written;
  } catch (error) {
    throw error instanceof pg.DatabaseError ? targetFailed(error) : error;
  }
}

/**
 * Copies a source to temporary tables of the transaction, as to an empty database, and from there what belongs to the tenant to the tables
 * of the cell, which then serves it. Returns the number of rows.
 */
async function arrive(
  source: Source,
  target: Target,
  { tenantId, to, contentKey }: MoveSqliteTenantOptions,
): Promise<number> {
  const tables = [...tenantTables, tombstones];
  for (const { target: rows, extra } of tables) {
    const [known] = extra === "kept" ? [] : await target.query(`${rows} LIMIT 1`, tenantId);
    if (known !== undefined)
      throw claimed(`The cell ${to.name} has data of the tenant ${tenantId}, which it does not serve.`);
  }
  // A temporary table hides the one with its name.
  const [{ schema } = { schema: "" }] = await target.query<{ schema: string }>(
    "SELECT quote_ident(current_schema()) AS schema",
  );
  const names = [...copiedTables.flatMap(({ fills }) => Object.keys(fills)), "arrived_audit", "arrived_audit_seals"];
  for (const name of names) {
    await target.query(`CREATE TEMPORARY TABLE ${name} (LIKE ${schema}.${name} INCLUDING ALL) ON COMMIT DROP`);
  }
  await copySource(source, target, createContentCipher(contentKey));
  let written = 0;
  for (const { name, source: rows, tenant, key, extra } of tables) {
    const columns = columnsOf(name);
    const replaced = Object.keys(checkedRows[name]).map((column) => `${column} = excluded.${column}`);
    const conflict =
      extra === "kept" ? `ON CONFLICT (${[tenant, ...key].join(", ")}) DO UPDATE SET ${replaced.join(", ")}` : "";
    const [{ count } = { count: 0 }] = await target.query<{ count: number }>(
      `WITH written AS (
         INSERT INTO ${schema}.${name} (${columns}) SELECT ${columns} FROM (${rows}) AS r ${conflict} RETURNING 1)
       SELECT count(*)::integer AS count FROM written`,
      tenantId,
    );
    written += count;
  }
  await target.query(`DROP TABLE ${names.map((name) => `pg_temp.${name}`).join(", ")}`);
  return written;
}

/** Fails if another cell has anything to say about the tenant: the file is not its newest state. */
async function requireUnknown({ tenantId, others }: MoveSqliteTenantOptions): Promise<void> {
  for (const cell of others) {
    await using stack = new AsyncDisposableStack();
    const known = await readAssignment(await connect(cell, stack), tenantId);
    if (known === undefined) continue;
    throw claimed(`The cell ${cell.name} knows the tenant ${tenantId}: its state there is "${known.state}".`);
  }
}

/** Returns whether the new cell serves the tenant already, and fails if the tenant may not move there. */
async function isServed(client: pg.ClientBase, { tenantId, to, keysId }: MoveSqliteTenantOptions): Promise<boolean> {
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

function requireOnly(found: readonly string[], { tenantId, path, ownTenants }: MoveSqliteTenantOptions): void {
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

function claimed(what: string): MoveSqliteTenantError {
  return new MoveSqliteTenantError("claimed", `${what} Nothing was changed.`);
}
