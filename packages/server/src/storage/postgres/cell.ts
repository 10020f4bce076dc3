import { setTimeout } from "node:timers/promises";
import { requireOptions } from "@platform-rpc/options";
import { urlRules } from "../option-rules.js";
import { type Database, openDatabase, StatementError } from "./database/database.js";
import { storageErrorFrom } from "./database/postgres-error.js";
import { requireOwner } from "./migrate.js";

/** Thrown when a database serves only the tenants that are assigned to it, and the program would serve all. */
export class PostgresCellError extends Error {
  override readonly name = "PostgresCellError";

  constructor() {
    super(
      "The PostgreSQL database is a cell: it serves only the tenants that are assigned to it. " +
        "Set CELL to the name of the cell, so that this program does not serve others.",
    );
  }
}

export const storageNames = { of: "platform", ofCell: "platform (cell)" } as const;

/** Thrown when a database would become a cell while processes serve all of its tenants. */
export class PostgresInUseError extends Error {
  override readonly name = "PostgresInUseError";

  constructor() {
    super(
      "Processes without CELL use the PostgreSQL database: they would serve tenants that are not assigned to it, too. " +
        "Stop them, run this command again, and start them with CELL.",
    );
  }
}

/** Rejects a database that is not a cell, and that processes use which are not started as those of one. @throws PostgresInUseError */
export async function rejectOtherUse(database: Pick<Database, "call">): Promise<void> {
  const isUsed = () =>
    database.call(
      `SELECT NOT EXISTS (SELECT FROM tenants) AND EXISTS (
         SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1)`,
      storageNames.of,
    );
  // PostgreSQL still lists a closed connection for a moment.
  for (let tries = 0; (await isUsed()) === true; tries += 1) {
    if (tries === 10) throw new PostgresInUseError();
    await setTimeout(100);
  }
}

/** Rejects a database to which tenants are assigned. @throws PostgresCellError */
export async function rejectCell(database: Pick<Database, "call">): Promise<void> {
  if ((await database.call("SELECT EXISTS (SELECT FROM tenants)")) === true) throw new PostgresCellError();
}

/** A tenant of a cell. */
export interface CellTenant {
  readonly tenantId: string;
  /**
   * - `serving`: this cell serves the tenant.
   * - `arriving`: the tenant is copied to this cell, which does not serve it yet.
   * - `paused`: the tenant moves away. It can be read, and not written to.
   * - `moved`: another cell serves the tenant.
   * - `unassigned`: there is data of the tenant, which no cell serves.
   */
  readonly state: "serving" | "arriving" | "paused" | "moved" | "unassigned";
  /** The other cell of a move. Undefined: none. */
  readonly peer: string | undefined;
  /** When the state changed, in milliseconds since the Unix epoch. Undefined while it is unassigned. */
  readonly changedAt: number | undefined;
  readonly vaults: number;
  readonly items: number;
  readonly records: number;
}

/** The assignments of a cell, for operators. */
export interface PostgresCell {
  /**
   * Assigns a tenant to this cell, which serves it from now on. Returns false if it was assigned before, in any state.
   *
   * @throws PostgresInUseError when it is the first one, and a storage without the option `cell` is open on the database.
   */
  assign(tenantId: string): Promise<boolean>;
  /** Lists the tenants in the order of their ids, with what is stored of each. Reads the indexes of all of their data. */
  list(): Promise<readonly CellTenant[]>;
  /** Closes the connection to the database. */
  close(): Promise<void>;
}

/**
 * Opens the assignments of a cell: a PostgreSQL database that serves the tenants that are assigned to it, and refuses all others. It is
 * a cell from the first assignment on. Make sure that a tenant is assigned to one cell only: no cell knows the others.
 *
 * @example
 * ```ts
 * import { openPostgresCell } from "@platform-rpc/server/postgres";
 *
 * const cell = await openPostgresCell({ url: databaseUrl });
 * await cell.assign("acme");
 * console.log((await cell.list()).map(({ tenantId, state }) => `${tenantId}: ${state}`));
 * // [ 'acme: serving' ]
 * await cell.close();
 * ```
 *
 * @throws PostgresOwnerRequiredError when the role of the URL does not own the tables.
 * @throws StorageError "unavailable" when the database cannot be reached; `cause` says why.
 */
export async function openPostgresCell(options: {
  /** The URL of the database, as its owner. */
  readonly url: string;
}): Promise<PostgresCell> {
  requireOptions("openPostgresCell", options, urlRules);
  const { url } = options;
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name: "platform cells" });
  const call = async (sql: string, ...values: readonly unknown[]): Promise<unknown> => {
    try {
      return await database.call(sql, ...values);
    } catch (error) {
      throw error instanceof StatementError ? storageErrorFrom(error.cause) : error;
    }
  };
  try {
    await requireOwner({ call });
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    async assign(tenantId) {
      await rejectOtherUse({ call });
      return (await call("SELECT platform_set_tenant($1, 0, 'serving', '')", tenantId)) === true;
    },
    async list() {
      const listed = (await call(listTenants)) as readonly ListedTenant[];
      return listed.map(([tenantId, state, peer, changedAt, vaults, items, records]) => ({
        tenantId,
        state: state ?? "unassigned",
        peer: peer || undefined,
        changedAt: changedAt ?? undefined,
        ...{ vaults, items, records },
      }));
    },
    close: () => database.close(),
  };
}

type ListedTenant = readonly [
  tenantId: string,
  state: CellTenant["state"] | null,
  peer: string | null,
  changedAt: number | null,
  vaults: number,
  items: number,
  records: number,
];

const countOf = (table: string) => `SELECT tenant_id, count(*) AS count FROM ${table} GROUP BY tenant_id`;

const listTenants = `
  SELECT coalesce(json_agg(json_build_array(tenant_id, t.state, t.peer, t.changed_at,
    coalesce(v.count, 0), coalesce(i.count, 0), coalesce(r.count, 0)) ORDER BY tenant_id COLLATE "C"), '[]')
  FROM tenants AS t
    FULL JOIN (${countOf("vaults")}) AS v USING (tenant_id)
    FULL JOIN (${countOf("items")}) AS i USING (tenant_id)
    FULL JOIN (${countOf("records")}) AS r USING (tenant_id)
  WHERE tenant_id <> '-'`;
