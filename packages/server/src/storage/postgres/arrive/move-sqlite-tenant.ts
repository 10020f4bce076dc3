import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { requireOptions } from "@platform-rpc/options";
import pg from "pg";
import * as rules from "../../option-rules.js";
import { flush } from "../../sqlite/database/flush.js";
import { openPostgresCell } from "../cell.js";
import { copyRules, copySource, type DataCopyOptions } from "../from-sqlite/copy-sqlite-to-postgres.js";
import { DataCopyError } from "../from-sqlite/data-copy-error.js";
import { openSource } from "../from-sqlite/source.js";
import { type MovingCell, readAssignment, readKeysId } from "../move/assignment.js";
import { type MovedTenant, type MoveStep, moveTenant } from "../move/move-tenant.js";

/** Where a move from SQLite is. The steps of `moveTenant` are between "renamed" and "dropped". */
export type SqliteMoveStep = "created" | "copied" | "renamed" | MoveStep | "dropped";

/** What is moved. */
export interface MoveSqliteTenantOptions extends Pick<DataCopyOptions, "contentKey" | "keysId" | "now"> {
  readonly tenantId: string;
  /** The SQLite database file with the tenant. No process may use it. */
  readonly path: string;
  readonly to: MovingCell;
  /** The other cells. The move fails if one of them serves, or has served, the tenant. */
  readonly others: readonly MovingCell[];
  /** Tenants that each installation has, such as that of its administrators. They are not moved. */
  readonly ownTenants: readonly string[];
  /** Called with each step, and the rows that were copied so far. If it rejects, the move ends as after any error. */
  readonly onStep?: (step: SqliteMoveStep, copied: number) => unknown;
}

const { url: _, batchRows: _rows, onProgress: _progress, ...copyOfTenant } = copyRules;
/** Thrown when a tenant was not moved from SQLite. */
export class MoveSqliteTenantError extends Error {
  override readonly name = "MoveSqliteTenantError";

  constructor(
    /**
     * - `not_found`: the file does not contain the tenant.
     * - `several_tenants`: the file contains other tenants, too.
     * - `claimed`: a cell serves, or has served, the tenant.
     * - `two_files`: there is a file of an interrupted move, and a new one.
     * - `other_keys`: the cell was last used with other keys.
     * - `target_failed`: the database of a cell cannot be reached, or its role may not create databases; `cause` is the error of the driver.
     */
    readonly reason: "not_found" | "several_tenants" | "claimed" | "two_files" | "other_keys" | "target_failed",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
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
 * Moves the only tenant of a SQLite database to a cell. Everything is copied to a database next to that of the cell, which nobody serves;
 * from there, `moveTenant` moves the tenant, and the database is dropped. Before, the file is renamed: see `movedSqlitePath`. So at most
 * one place can serve the tenant at every moment, and a file that was renamed is not served by accident.
 *
 * A move that was interrupted at any point continues with the same call.
 *
 * @example
 * ```ts
 * import { DataCopyError, moveSqliteTenant } from "@platform-rpc/server/postgres";
 *
 * const moved = await moveSqliteTenant({
 *   ...{ tenantId: "acme", path: "no-file.sqlite", to: { name: "b", url: databaseUrl } },
 *   ...{ others: [], ownTenants: [], contentKey: new Uint8Array(32), keysId: "", now: Date.now() },
 * }).catch((error) => error);
 * console.log(moved instanceof DataCopyError ? moved.reason : moved.copied);
 * // no_source
 * ```
 *
 * @throws MoveSqliteTenantError, MoveTenantError, and the errors of `copySqliteToPostgres`
 */
export async function moveSqliteTenant(options: MoveSqliteTenantOptions): Promise<MovedTenant> {
  requireOptions("moveSqliteTenant", options, {
    ...copyOfTenant,
    tenantId: rules.id,
    to: rules.cell,
    others: rules.cells,
    ownTenants: rules.ids,
    onStep: rules.onStep,
  });
  const { tenantId, path, to, keysId, onStep = () => {} } = options;
  const moved = movedSqlitePath(options);
  const arrival = arrivalOf(options);
  const wasRenamed = existsSync(moved);
  await requireUnknown(options);
  const state = await inDatabase(to, (client) => inspectTarget(client, options, arrival.name));
  if (state === "serving" || state === "paused") {
    // Only an earlier call has renamed the file, after which the cell has got the tenant.
    if (!wasRenamed) throw claimed(`The cell ${to.name} serves the tenant ${tenantId}.`);
    await dropArrival(options, arrival, "moved");
    return { copied: 0, pausedMs: 0 };
  }
  if (wasRenamed && existsSync(path)) {
    throw new MoveSqliteTenantError(
      "two_files",
      `The move of ${moved} is not finished, and there is a new database ${path}. ` +
        "Stop what uses the new one, move it to another folder, and run the same command again.",
    );
  }
  {
    using source = openSource(wasRenamed ? moved : path, keysId);
    requireOnly(source.tenants(), options);
    await createArrival(options, arrival);
    await onStep("created", 0);
    const copy = () => copySource(source, { ...options, url: arrival.url });
    await copy().catch(async (error: unknown) => {
      const isOlder = error instanceof DataCopyError && error.reason === "source_changed";
      if (wasRenamed || !isOlder) throw error;
      // The platform was started again after an earlier call had copied the file, and before it was renamed.
      await dropArrival(options, arrival, undefined);
      await createArrival(options, arrival);
      return await copy();
    });
    await onStep("copied", 0);
    if (!wasRenamed) source.rename(moved);
    // Also after a call that was killed before this.
    flush(dirname(path));
  }
  await onStep("renamed", 0);
  const cell = await openPostgresCell(arrival);
  // An earlier call may have assigned it.
  await cell.assign(tenantId).finally(() => cell.close());
  const result = await moveTenant({ tenantId, from: arrival, to, isNew: true, onStep });
  await dropArrival(options, arrival, "moved");
  await onStep("dropped", result.copied);
  return result;
}

/** Fails if another cell has anything to say about the tenant: the file is not its newest state. */
async function requireUnknown({ tenantId, others }: MoveSqliteTenantOptions): Promise<void> {
  for (const cell of others) {
    const known = await inDatabase(cell, (client) => readAssignment(client, tenantId));
    if (known === undefined) continue;
    throw claimed(`The cell ${cell.name} knows the tenant ${tenantId}: its state there is "${known.state}".`);
  }
}

/** Returns the state of the tenant in its new cell: none, "arriving" from the file, "serving" or "paused". */
async function inspectTarget(
  client: pg.Client,
  { tenantId, to, keysId }: MoveSqliteTenantOptions,
  from: string,
): Promise<string | undefined> {
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
  if (known?.state === "arriving" && known.peer !== from) {
    throw claimed(`Another move of the tenant ${tenantId} to ${to.name}, from ${known.peer}, is not finished.`);
  }
  return known?.state;
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

interface Arrival extends MovingCell {
  readonly database: string;
}

/** Returns the database in between. Its name is the same in each call, and another one for another tenant or target. */
function arrivalOf({ tenantId, path, to }: MoveSqliteTenantOptions): Arrival {
  const url = new URL(to.url);
  const target = decodeURIComponent(url.pathname.slice(1));
  const digest = createHash("sha256")
    .update(JSON.stringify([target, tenantId]))
    .digest("hex")
    .slice(0, 8);
  // PostgreSQL cuts names after 63 bytes.
  const database = `${target.slice(0, 40)}_arriving_${digest}`;
  url.pathname = `/${encodeURIComponent(database)}`;
  // No cell has a name with a colon.
  return { name: `sqlite:${basename(path)}`, url: url.href, database };
}

async function exists(client: pg.Client, { database }: Arrival): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
  return rows.length > 0;
}

async function createArrival({ to }: MoveSqliteTenantOptions, arrival: Arrival): Promise<void> {
  await inDatabase(to, async (client) => {
    if (await exists(client, arrival)) return;
    const name = client.escapeIdentifier(arrival.database);
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0`).catch(async (cause: unknown) => {
      const { rows } = await client.query<{ role: string }>("SELECT quote_ident(current_user) AS role");
      const [{ role } = { role: "" }] = rows;
      throw new MoveSqliteTenantError(
        "target_failed",
        `The database ${arrival.database}, which the data passes through, was not created: ${messageOf(cause)}. ` +
          `Run this on the server of the cell ${to.name} as a superuser: ALTER ROLE ${role} CREATEDB; ` +
          `or CREATE DATABASE ${name} OWNER ${role} TEMPLATE template0; Then run the same command again.`,
        { cause },
      );
    });
  });
}

/** Drops the database in between, in which the state of the tenant must be the expected one. */
async function dropArrival(
  { tenantId, to }: MoveSqliteTenantOptions,
  arrival: Arrival,
  expected: "moved" | undefined,
): Promise<void> {
  await inDatabase(to, async (client) => {
    if (!(await exists(client, arrival))) return;
    const found = await inDatabase(arrival, (own) => readAssignment(own, tenantId));
    if (found?.state !== expected) {
      throw claimed(
        `The database ${arrival.database} contains another move of the tenant ${tenantId} to ${to.name}. ` +
          "Drop the database if you have given up that move.",
      );
    }
    const name = client.escapeIdentifier(arrival.database);
    await client.query(`DROP DATABASE IF EXISTS ${name}`).catch((error: Error & { readonly code?: string }) => {
      // object_in_use
      if (error.code !== "55006") throw error;
      throw claimed(
        `Another command uses the database ${arrival.database}, which the data of the tenant ${tenantId} passed through.`,
      );
    });
  });
}

async function inDatabase<T>({ name, url }: MovingCell, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "platform move-tenant" });
  // A statement that is under way fails, too.
  client.on("error", () => {});
  await client.connect().catch((cause: unknown) => {
    throw new MoveSqliteTenantError(
      "target_failed",
      `The database of ${name} cannot be reached: ${messageOf(cause)}. Run the same command again: it continues.`,
      { cause },
    );
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function claimed(what: string): MoveSqliteTenantError {
  return new MoveSqliteTenantError("claimed", `${what} Nothing was changed.`);
}
