import { resolve } from "node:path";
import { platformTenant } from "@platform-rpc/accounts/http/own-call";
import type { SqliteMoveStep } from "@platform-rpc/server/postgres";
import type { Settings } from "../settings/settings.js";
import { readCellsFile } from "./cells-file.js";
import { CommandError } from "./command-output.js";
import { loadKeys, pathOf } from "./migrate-data.js";
import { leadTo, requireRouter } from "./router.js";

export interface MoveTenantCommand {
  /** The file with the cells: see `readCellsFile`. */
  readonly cells: string;
  /** The name of the cell that serves the tenant, or the SQLite database with it, such as `sqlite:/var/lib/platform/platform.sqlite`. */
  readonly from: string;
  readonly to: string;
  /** The socket of the router's runtime API. Undefined: the map is changed by hand. */
  readonly router?: string;
  /** The path of the router's map of tenants. */
  readonly map: string;
}

/**
 * Moves a tenant to another cell while it is served, or from SQLite, and lets the router lead its calls there.
 *
 * @param readSettings reads the settings, of which only a move from SQLite needs any: the keys.
 * @param report is called with each line as it is known
 * @throws CommandError, SettingsError, KeyFileError, DatabaseInUseError
 */
export async function moveTenant(
  tenantId: string,
  { cells, from, to, router, map }: MoveTenantCommand,
  { readSettings, report }: { readSettings: () => Settings; report: (line: string) => Promise<void> },
): Promise<void> {
  const known = await readCells(cells);
  const isFile = from.startsWith("sqlite:");
  const keys = isFile ? await loadKeys(readSettings()) : undefined;
  const target = known.cell(to);
  const { DataCopyError, moveSqliteTenant, movedSqlitePath, moveTenant, MoveSqliteTenantError, MoveTenantError } =
    await import("@platform-rpc/server/postgres");
  if (router !== undefined) await requireRouter({ router, map });
  const path = isFile ? resolve(pathOf(from)) : "";
  const renamed = movedSqlitePath({ path, tenantId, to: target });
  const served = isFile ? "Do not start the platform on it." : "It is served meanwhile.";
  const steps: Readonly<Record<SqliteMoveStep, (rows: number) => string | undefined>> = {
    created: () => `Copying ${path} to a database next to that of ${to}.`,
    copied: () => undefined,
    renamed: () => `Everything is copied, and every row is compared. The file is ${renamed} from now on.`,
    copying: () => `Copying the tenant ${tenantId} from ${from} to ${to}. ${served}`,
    paused: (rows) => (isFile ? undefined : `${rows} rows are copied. Writes of the tenant are paused.`),
    compared: (rows) => `${rows} rows are copied, and every row is compared.`,
    "handed over": () => undefined,
    serving: () => `The cell ${to} serves the tenant.`,
    dropped: () => undefined,
  };
  const onStep = async (step: SqliteMoveStep, rows: number) => {
    const line = steps[step](rows);
    if (line !== undefined) await report(line);
  };
  const moving =
    keys === undefined
      ? moveTenant({ tenantId, from: known.cell(from), to: target, onStep })
      : moveSqliteTenant({
          ...{ tenantId, path, to: target, others: known.others(to), ownTenants: [platformTenant] },
          ...{ ...keys, now: Date.now(), onStep },
        });
  const { pausedMs } = await moving.catch((error: unknown) => {
    const explained = [DataCopyError, MoveSqliteTenantError, MoveTenantError].some((type) => error instanceof type);
    if (explained && error instanceof Error) throw new CommandError(`The tenant was not moved. ${error.message}`);
    throw error;
  });
  if (pausedMs > 0 && !isFile) await report(`Its writes were paused for ${Math.round(pausedMs)} ms.`);
  if (isFile) {
    await report(
      `The platform does not start on the folder of ${renamed} without DATABASE_URL. ` +
        "Do not rename the file again: the tenant would be served twice. Keep it as long as you need its audit trail.",
    );
  }
  if (router === undefined) {
    await report(`Change the map of the router now: ${tenantId} ${to}. Until then, its calls are refused.`);
    return;
  }
  await leadTo(to, { tenantId, router, map });
  await report(`The router leads its calls to ${to}.`);
}

/**
 * Gives up a move that is not finished: the old cell serves the tenant.
 *
 * @returns the lines to print.
 * @throws CommandError
 */
export async function cancelMove(
  tenantId: string,
  { cells, from, to }: Pick<MoveTenantCommand, "cells" | "from" | "to">,
): Promise<string[]> {
  const known = await readCells(cells);
  const { cancelMove: cancel, MoveTenantError } = await import("@platform-rpc/server/postgres");
  await cancel({ tenantId, from: known.cell(from), to: known.cell(to) }).catch((error: unknown) => {
    throw error instanceof MoveTenantError ? new CommandError(error.message) : error;
  });
  return [
    `The cell ${from} serves the tenant ${tenantId}, also its writes. The move to ${to} is cancelled.`,
    `To remove what has arrived in ${to}: platform remove-moved-tenant ${tenantId} --cells ${cells} --from ${to}`,
  ];
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
  const known = await readCells(cells);
  const { removeMovedTenant: remove, MoveTenantError } = await import("@platform-rpc/server/postgres");
  const removed = await remove({ tenantId, from: known.cell(from) }).catch((error: unknown) => {
    throw error instanceof MoveTenantError ? new CommandError(error.message) : error;
  });
  return [
    `${removed} rows of the tenant ${tenantId} were removed from the cell ${from}. Its backups still contain them.`,
  ];
}

async function readCells(file: string) {
  const cells = [...(await readCellsFile(file))].map(([name, url]) => ({ name, url }));
  return {
    cell(name: string) {
      const cell = cells.find((each) => each.name === name);
      if (cell !== undefined) return cell;
      const names = cells.map((each) => each.name).join(", ");
      throw new CommandError(`There is no cell ${name} in ${file}. It has ${names}.`);
    },
    others: (name: string) => cells.filter((each) => each.name !== name),
  };
}
