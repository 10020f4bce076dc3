import { resolve } from "node:path";
import { platformTenant } from "@platform-rpc/accounts/http/own-call";
import { errorCode } from "@platform-rpc/front/errors";
import type { MovedTenant, MoveStep, MoveTenantError, MoveTenantOptions } from "@platform-rpc/server/postgres";
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

export interface MoveTenantContext {
  /** Reads the settings, of which only a move from SQLite needs any: the keys. */
  readonly readSettings: () => Settings;
  /** Called with each line as it is known. */
  readonly report: (line: string) => Promise<void>;
  /** The process, which emits its signals. */
  readonly signals: Pick<NodeJS.EventEmitter, "once" | "off">;
}

/**
 * Moves a tenant to another cell while it is served, or from SQLite, and lets the router lead its calls there.
 *
 * @throws CommandError, SettingsError, KeyFileError, DatabaseInUseError
 */
export async function moveTenant(
  tenantId: string,
  { cells, from, to, router, map }: MoveTenantCommand,
  { readSettings, report, signals }: MoveTenantContext,
): Promise<void> {
  const known = await readCells(cells);
  if (from === to)
    throw new CommandError("--from and --to name the same cell. Name the cell that is to serve the tenant with --to.");
  const isFile = from.startsWith("sqlite:");
  const keys = isFile ? await loadKeys(readSettings()) : undefined;
  const target = known.cell(to);
  const { DataCopyError, moveSqliteTenant, movedSqlitePath, MoveSqliteTenantError, MoveTenantError } = await import(
    "@platform-rpc/server/postgres"
  );
  if (router !== undefined) await requireRouter({ router, map }, known.names);
  const path = isFile ? resolve(pathOf(from)) : "";
  const renamed = movedSqlitePath({ path, tenantId, to: target });
  const steps: Readonly<Record<MoveStep, (rows: number) => string | undefined>> = {
    copying: () => `Copying the tenant ${tenantId} from ${from} to ${to}. It is served meanwhile.`,
    paused: (rows) => `${rows} rows are copied. Writes of the tenant are paused.`,
    compared: (rows) => `${rows} rows are copied, and every row is compared.`,
    "handed over": () => undefined,
    serving: () => `The cell ${to} serves the tenant.`,
  };
  const move = async () => {
    if (keys === undefined) {
      const onStep = async (step: MoveStep, rows: number) => {
        const line = steps[step](rows);
        if (line !== undefined) await report(line);
      };
      const { pausedMs } = await cancelOnSignal({ tenantId, from: known.cell(from), to: target, onStep }, signals);
      if (pausedMs > 0) await report(`Its writes were paused for ${Math.round(pausedMs)} ms.`);
      return;
    }
    await report(`Copying ${path} to ${to}. Do not start the platform on it.`);
    const others = known.others(to);
    const rows = await moveSqliteTenant({ tenantId, path, to: target, others, ownTenants: [platformTenant], ...keys });
    if (rows > 0) await report(`${rows} rows are copied, and every row is compared. The file is ${renamed} now.`);
    await report(
      `The cell ${to} serves the tenant. The platform does not start on the folder of ${renamed} without DATABASE_URL. ` +
        "Do not rename the file again: the tenant would be served twice. Keep it as long as you need its audit trail.",
    );
  };
  await move().catch((error: unknown) => {
    if (error instanceof MoveTenantError) throw new CommandError(explain(error, cells));
    const isExplained = [DataCopyError, MoveSqliteTenantError].some((type) => error instanceof type);
    if (isExplained && error instanceof Error) throw new CommandError(`The tenant was not moved. ${error.message}`);
    if (keys !== undefined || error instanceof CommandError || !(error instanceof Error)) throw error;
    throw new CommandError(
      `The move was interrupted: ${error.message || errorCode(error)}. Run the same command again: it continues. ` +
        `To see which cell serves the tenant: platform cells ${cells}`,
    );
  });
  if (router === undefined) {
    await report(`Change the map of the router now: ${tenantId} ${to}. Until then, its calls are refused.`);
    return;
  }
  await leadTo(to, { tenantId, router, map }).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${error.message}\nThe cell ${to} serves the tenant, but its calls are refused until the router leads them there. ` +
        `Run the same command again, or change the map by hand: ${tenantId} ${to}.`,
    );
  });
  await report(`The router leads its calls to ${to}.`);
}

/** Moves a tenant. If the process is to end, the move is cancelled, unless the old cell has handed the tenant over. */
async function cancelOnSignal(options: MoveTenantOptions, signals: MoveTenantContext["signals"]): Promise<MovedTenant> {
  const { cancelMove: cancel, moveTenant: move } = await import("@platform-rpc/server/postgres");
  const ending = new AbortController();
  const onSignal = () => ending.abort();
  for (const signal of ["SIGINT", "SIGTERM"]) signals.once(signal, onSignal);
  try {
    return await move({ ...options, signal: ending.signal });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    const { tenantId, from, to } = options;
    const cancelled = await cancel({ tenantId, from, to }).then(
      () => `The cell ${from.name} serves the tenant, also its writes.`,
      (failure: Error) => failure.message,
    );
    throw new CommandError(`A signal ended the command. ${cancelled}`);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"]) signals.off(signal, onSignal);
  }
}

function explain({ reason, message }: MoveTenantError, cells: string): string {
  if (reason === "unreachable") return `The move is not finished. ${message} Run the same command again: it continues.`;
  if (reason !== "not_served") return `The tenant was not moved. ${message}`;
  return `The tenant was not moved. ${message} Ids are case-sensitive. To see where each tenant is: platform cells ${cells}`;
}

/** Gives up a move that is not finished: the old cell serves the tenant. @throws CommandError */
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

/** Lets one of two cells that serve the same tenant give it up. @throws CommandError */
export async function giveUpTenant(
  tenantId: string,
  { cells, from, to }: Pick<MoveTenantCommand, "cells" | "from" | "to">,
): Promise<string[]> {
  const known = await readCells(cells);
  const { giveUpTenant: giveUp, MoveTenantError } = await import("@platform-rpc/server/postgres");
  await giveUp({ tenantId, from: known.cell(from), to: known.cell(to) }).catch((error: unknown) => {
    throw error instanceof MoveTenantError ? new CommandError(error.message) : error;
  });
  return [
    `Only the cell ${to} serves the tenant ${tenantId} now. What only ${from} has is still in its database.`,
    `When you no longer need it: platform remove-moved-tenant ${tenantId} --cells ${cells} --from ${from}`,
  ];
}

/** Removes what a tenant has left behind in a cell. @throws CommandError */
export async function removeMovedTenant(
  tenantId: string,
  { cells, from }: Pick<MoveTenantCommand, "cells" | "from">,
): Promise<string[]> {
  const known = await readCells(cells);
  const { removeMovedTenant: remove, MoveTenantError } = await import("@platform-rpc/server/postgres");
  const removed = await remove({ tenantId, from: known.cell(from), others: known.others(from) }).catch(
    (error: unknown) => {
      throw error instanceof MoveTenantError ? new CommandError(error.message) : error;
    },
  );
  return [
    `${removed} rows of the tenant ${tenantId} were removed from the cell ${from}. Its backups still contain them.`,
  ];
}

async function readCells(file: string) {
  const cells = [...(await readCellsFile(file))].map(([name, url]) => ({ name, url }));
  const names = cells.map((each) => each.name);
  return {
    names,
    cell(name: string) {
      const cell = cells.find((each) => each.name === name);
      if (cell !== undefined) return cell;
      throw new CommandError(`There is no cell ${name} in ${file}. It has ${names.join(", ")}.`);
    },
    others: (name: string) => cells.filter((each) => each.name !== name),
  };
}
