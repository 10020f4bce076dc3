import { setTimeout } from "node:timers/promises";
import { platformTenant } from "@platform-rpc/accounts/http/own-call";
import type { CellTenant } from "@platform-rpc/server/postgres";
import type { Settings } from "../settings/settings.js";
import { readCellsFile } from "./cells-file.js";
import { CommandError } from "./command-output.js";

/** The cells as lines to print, and what is wrong with them. */
export interface ListedCells {
  readonly lines: readonly string[];
  /** What is wrong, and what to do. Undefined: nothing. */
  readonly failure: string | undefined;
}

/** Longer than a hand-over takes, in milliseconds. */
const handOverMs = 500;

interface FoundCell {
  readonly name: string;
  readonly tenants: readonly CellTenant[];
  readonly problem?: string;
}

/** Lists cells with their tenants, and what is stored of them. A tenant that two cells serve is an alarm. @throws CommandError */
export async function listCells(file: string): Promise<ListedCells> {
  const named = [...(await readCellsFile(file))];
  const read = () => Promise.all(named.map(([name, url]) => readCell(name, url)));
  let cells = await read();
  if (claimedTwice(cells).length + servedNowhere(cells, file).length > 0) {
    // The cells are not read at the same moment: a tenant that moves may be seen in both, or in none.
    await setTimeout(handOverMs);
    cells = await read();
  }
  const rows = cells.flatMap(({ name, tenants }) => tenants.map((tenant) => rowOf(name, tenant)));
  const problems = [
    ...cells.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`The cell ${name} cannot be read: ${problem}`],
    ),
    ...claimedTwice(cells),
    ...servedNowhere(cells, file),
  ];
  return {
    lines: [
      ...columns([["CELL", "TENANT", "STATE", "SINCE", "VAULTS", "ITEMS", "RECORDS"], ...rows]),
      "",
      ...cells.map(({ name, tenants, problem }) =>
        problem === undefined ? `${name}: ${tenants.filter(isServed).length} tenants served` : `${name}: not read`,
      ),
      ...pausedIn(cells),
    ],
    failure: problems.length === 0 ? undefined : problems.join("\n"),
  };
}

async function readCell(name: string, url: string): Promise<FoundCell> {
  try {
    const { openPostgresCell } = await import("@platform-rpc/server/postgres");
    const cell = await openPostgresCell({ url });
    const tenants = await cell.list().finally(() => cell.close());
    // Each cell has its own administrators.
    return { name, tenants: tenants.filter(({ tenantId }) => tenantId !== platformTenant) };
  } catch (error) {
    // The cause says more than "the storage is unavailable".
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { name, tenants: [], problem: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Whether a cell answers calls of a tenant. */
function isServed({ state }: CellTenant): boolean {
  return state === "serving" || state === "paused";
}

function claimedTwice(cells: readonly FoundCell[]): string[] {
  const claims = new Map<string, string[]>();
  for (const { name, tenants } of cells) {
    for (const { tenantId } of tenants.filter(isServed)) claims.set(tenantId, [...(claims.get(tenantId) ?? []), name]);
  }
  return [...claims]
    .filter(([, names]) => names.length > 1)
    .map(
      ([tenantId, names]) =>
        `ALARM: the tenant ${tenantId} is served by the cells ${names.join(" and ")}. They do not see each other's changes. ` +
        "Let the router send its calls to one of them, and stop the processes of the other until you know which has the newest data. " +
        "Then let the other give it up with give-up-tenant.",
    );
}

/** Tenants that one cell has handed over, and that the other has not taken: the mover was interrupted between the two steps. */
function servedNowhere(cells: readonly FoundCell[], file: string): string[] {
  const arrivals = new Set(
    cells.flatMap(({ name, tenants }) =>
      tenants.filter(({ state }) => state === "arriving").map(({ tenantId, peer }) => `${tenantId} ${peer} ${name}`),
    ),
  );
  return cells.flatMap(({ name, tenants }) =>
    tenants
      .filter(({ tenantId, state, peer }) => state === "moved" && arrivals.has(`${tenantId} ${name} ${peer}`))
      .map(
        ({ tenantId, peer }) =>
          `ALARM: no cell serves the tenant ${tenantId}. ${name} has handed it over to ${peer}. Finish the move: ` +
          `platform move-tenant ${tenantId} --cells ${file} --from ${name} --to ${peer}`,
      ),
  );
}

function pausedIn(cells: readonly FoundCell[]): string[] {
  return cells.flatMap(({ name, tenants }) =>
    tenants
      .filter(({ state }) => state === "paused")
      .map(
        ({ tenantId, peer }) =>
          `Writes of the tenant ${tenantId} are paused in ${name}, because it moves to ${peer}. If no move is running, ` +
          "finish it with move-tenant, or give it up with cancel-move.",
      ),
  );
}

function rowOf(
  cell: string,
  { tenantId, state, peer, changedAt, vaults, items, records }: CellTenant,
): readonly string[] {
  const where = peer === undefined ? "" : state === "arriving" ? ` from ${peer}` : ` to ${peer}`;
  const since = changedAt === undefined ? "-" : new Date(changedAt).toISOString();
  return [cell, tenantId, `${state}${where}`, since, ...[vaults, items, records].map(String)];
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Assigns a tenant to the cell whose database DATABASE_URL names. @throws CommandError */
export async function assignTenant(
  { databaseUrl: url }: Pick<Settings, "databaseUrl">,
  tenantId: string,
): Promise<string[]> {
  if (url === undefined) {
    throw new CommandError("Set DATABASE_URL to the database of the cell, as the role that owns it.");
  }
  const { openPostgresCell } = await import("@platform-rpc/server/postgres");
  const cell = await openPostgresCell({ url });
  try {
    if (await cell.assign(tenantId)) return [`The cell serves the tenant ${tenantId} from now on.`];
    const tenant = (await cell.list()).find((each) => each.tenantId === tenantId);
    if (tenant?.state === "serving") return [`The cell serves the tenant ${tenantId} already.`];
    throw new CommandError(
      `Nothing was changed: the tenant ${tenantId} was assigned to this cell before, and its state is "${tenant?.state}".`,
    );
  } finally {
    await cell.close();
  }
}
