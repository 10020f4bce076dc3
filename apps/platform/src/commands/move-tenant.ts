import { readCellsFile } from "./cells-file.js";
import { CommandError } from "./command-output.js";
import { leadTo, requireRouter } from "./router.js";

export interface MoveTenantCommand {
  /** The file with the cells: see `readCellsFile`. */
  readonly cells: string;
  readonly from: string;
  readonly to: string;
  /** The socket of the router's runtime API. Undefined: the map is changed by hand. */
  readonly router?: string;
  /** The path of the router's map of tenants. */
  readonly map: string;
}

/**
 * Moves a tenant to another cell while it is served, and lets the router lead its calls there.
 *
 * @param report is called with each line as it is known
 * @throws CommandError
 */
export async function moveTenant(
  tenantId: string,
  { cells, from, to, router, map }: MoveTenantCommand,
  report: (line: string) => Promise<void>,
): Promise<void> {
  const cellOf = await readCells(cells);
  const { moveTenant: move, MoveTenantError } = await import("@platform-rpc/server/postgres");
  if (router !== undefined) await requireRouter({ router, map });
  const steps = {
    copying: () => `Copying the tenant ${tenantId} from ${from} to ${to}. It is served meanwhile.`,
    paused: (rows: number) => `${rows} rows are copied. Writes of the tenant are paused.`,
    compared: (rows: number) => `${rows} rows are copied, and every row is compared.`,
    "handed over": () => undefined,
    serving: () => `The cell ${to} serves the tenant.`,
  };
  const { pausedMs } = await move({
    tenantId,
    from: cellOf(from),
    to: cellOf(to),
    async onStep(step, rows) {
      const line = steps[step](rows);
      if (line !== undefined) await report(line);
    },
  }).catch((error: unknown) => {
    if (error instanceof MoveTenantError) throw new CommandError(`The tenant was not moved. ${error.message}`);
    throw error;
  });
  if (pausedMs > 0) await report(`Its writes were paused for ${Math.round(pausedMs)} ms.`);
  if (router === undefined) {
    await report(`Change the map of the router now: ${tenantId} ${to}. Until then, its calls are refused.`);
    return;
  }
  await leadTo(to, { tenantId, router, map });
  await report(`The router leads its calls to ${to}.`);
}

/**
 * Removes what a tenant has left behind in a cell.
 *
 * @returns the lines to print.
 * @throws CommandError
 */
export async function removeMovedTenant(
  tenantId: string,
  { cells, from }: Pick<MoveTenantCommand, "cells" | "from">,
): Promise<string[]> {
  const cellOf = await readCells(cells);
  const { removeMovedTenant: remove, MoveTenantError } = await import("@platform-rpc/server/postgres");
  const removed = await remove({ tenantId, from: cellOf(from) }).catch((error: unknown) => {
    throw error instanceof MoveTenantError ? new CommandError(error.message) : error;
  });
  return [
    `${removed} rows of the tenant ${tenantId} were removed from the cell ${from}. Its backups still contain them.`,
  ];
}

async function readCells(file: string) {
  const cells = await readCellsFile(file);
  return (name: string) => {
    const url = cells.get(name);
    if (url !== undefined) return { name, url };
    throw new CommandError(`There is no cell ${name} in ${file}. It has ${[...cells.keys()].join(", ")}.`);
  };
}
