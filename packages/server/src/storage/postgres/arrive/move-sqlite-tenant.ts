import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { requireOptions } from "@platform-rpc/options";
import pg from "pg";
import * as rules from "../../option-rules.js";
import { flush } from "../../sqlite/database/flush.js";
import { createContentCipher } from "../content-cipher.js";
import { copiedTables } from "../from-sqlite/copied-tables.js";
import { copySource } from "../from-sqlite/copy-source.js";
import { copyRules } from "../from-sqlite/copy-sqlite-to-postgres.js";
import { openSource, type Source } from "../from-sqlite/source.js";
import { createTarget, type Target, targetFailed } from "../from-sqlite/target.js";
import { connectAlone, type MovingCell, rejectUse, setState } from "../move/assignment.js";
import { raisePositions } from "../move/raise-positions.js";
import { tenantTables, tombstones } from "../move/tenant-tables.js";
import { rows as checkedRows, columnsOf } from "../schema/checksum.js";
import {
  claimed,
  isServed,
  MoveSqliteTenantError,
  type MoveSqliteTenantOptions,
  requireOnly,
  requireUnknown,
} from "./may-arrive.js";

const { url: _, now: _now, ...copyOfTenant } = copyRules;

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
