import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBuiltProgram } from "@platform-rpc/testbed/app";
import { type CellRouter, cellRouterPorts, startCellRouter } from "@platform-rpc/testbed/haproxy";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import * as z from "zod";
import { fixture, type Target } from "../load/plan.ts";
import { mountDisk } from "./disk.ts";
import type { Cell, Engine, EngineOptions } from "./engine.ts";
import { query } from "./postgres.ts";
import { queries, readRows } from "./queries.ts";

/** The size of the disk of a cell, in MiB: it has the tenant, what it has left behind, and the WAL of both. */
const diskSize = 768;

const { tenantId } = fixture;

/** Starts two cells in a folder. The processes of the app belong to them in turn, and share their keys. */
export async function createCellsEngine(folder: string, { smallDisk = false }: EngineOptions): Promise<Engine> {
  await using starting = new AsyncDisposableStack();
  const start = async (name: "a" | "b"): Promise<Cell> => {
    const parent = join(folder, `cell-${name}`);
    mkdirSync(parent, { mode: 0o700 });
    const disk = smallDisk ? mountDisk(parent, diskSize) : undefined;
    if (disk !== undefined) starting.defer(disk.release);
    const settings = smallDisk ? { max_wal_size: "64MB", min_wal_size: "32MB" } : {};
    const postgres = await startPostgres({ parent, settings });
    starting.defer(postgres.stop);
    await runToEnd(postgres.url, "migrate-database");
    if (name === "a") await runToEnd(postgres.url, "assign-tenant", tenantId);
    return { name, postgres, disk };
  };
  const both = [await start("a"), await start("b")] as const;
  const file = join(folder, "cells.json");
  writeFileSync(file, JSON.stringify(Object.fromEntries(both.map(({ name, postgres }) => [name, postgres.url]))));
  const ports = await cellRouterPorts();
  const routed = {
    publicUrl: `http://127.0.0.1:${ports.public}`,
    accountsUrl: `http://127.0.0.1:${ports.accounts}`,
    pagesUrl: `http://accounts.localhost:${ports.accounts}`,
  };
  const cellOf = (process: number): Cell => both[process % 2 === 0 ? 0 : 1];
  let running: CellRouter | undefined;
  const router = (): CellRouter => {
    if (running === undefined) throw new Error("The router is not started.");
    return running;
  };
  const command = (name: string, ...args: readonly string[]) =>
    startBuiltProgram("main", {}, { args: [name, tenantId, "--cells", file, ...args] });
  const started = starting.move();
  return {
    name: "postgres",
    environmentOf(process) {
      const { name, postgres } = cellOf(process);
      return {
        CELL: name,
        DATABASE_URL: postgres.url,
        KEYS_FILE: join(folder, "keys.json"),
        ACCOUNTS_URL: routed.pagesUrl,
        ACCOUNTS_SIGN_UP: "on",
      };
    },
    cells: {
      both,
      cellOf,
      router,
      async lead(targets) {
        const portsOf = (target: Target) => {
          const [open, accounts] = [portOf(target.publicUrl), portOf(target.accountsUrl)];
          return { public: open, accounts, mcp: open };
        };
        const processesOf = ({ name }: Cell) => targets.filter((_, index) => cellOf(index).name === name).map(portsOf);
        const [a, b] = both;
        const maps = {
          "tenants.map": `${tenantId} a\n`,
          "hosts.map": `127.0.0.1 ${tenantId}\naccounts.localhost ${tenantId}\n`,
        };
        running = started.use(await startCellRouter({ a: processesOf(a), b: processesOf(b) }, ports, maps));
        return targets.map((target) => ({ ...target, ...routed }));
      },
      move(from, to) {
        const { socket, tenantsMap } = router();
        return command("move-tenant", "--from", from.name, "--to", to.name, "--router", socket, "--map", tenantsMap);
      },
      removeMoved: (from) => command("remove-moved-tenant", "--from", from.name),
    },
    async readStored() {
      const serving: Cell[] = [];
      for (const cell of both) {
        const sql = `SELECT FROM tenants WHERE tenant_id = '${tenantId}' AND state = 'serving'`;
        if (z.array(z.unknown()).parse(await query(cell.postgres, sql)).length > 0) serving.push(cell);
      }
      const [cell, other] = serving;
      if (cell === undefined || other !== undefined) {
        throw new Error(`${serving.length} cells serve the tenant, and it must be exactly one.`);
      }
      return readRows((table) => query(cell.postgres, queries.postgres[table]));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function runToEnd(url: string, ...args: readonly string[]): Promise<void> {
  const program = startBuiltProgram("main", { DATABASE_URL: url }, { args });
  if ((await program.ended) !== 0) throw new Error(`${args.join(" ")} failed:\n${program.out()}${program.err()}`);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
