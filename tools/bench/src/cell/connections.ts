import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { adminOf, type RunningApp, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { installedPgBouncer, startPgBouncer } from "@platform-rpc/testbed/pgbouncer";
import { startPostgres, type TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { quantile } from "../measure/statistics.ts";
import { inBatches } from "../platform/seed.ts";
import { withDigits } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { createCell, firstTenant } from "./fill-cell.ts";

const cells = Array.from({ length: 10 }, (_, index) => `cell${index}`);
const processesOfCell = 4;
/** How many calls each process gets, and how many of them at the same time. */
const calls = 200;
const callsAtOnce = 5;
/** A process closes a connection that it has not used for 10 seconds. */
const settleMs = 12_000;
const restMs = 5000;
const sampleMs = 50;

/** How many connections PgBouncer opens to a database at most. Without it: undefined. */
const poolSizes = [undefined, 4, 2] as const;

/** Runs `pnpm bench connections`: the connections of many cells to PostgreSQL, with and without PgBouncer. */
export async function benchConnections(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const server = await startPostgres({ settings: { max_connections: 300 } });
  stack.defer(server.stop);
  await createCells(server, folder.path);
  const rows: (readonly string[])[] = [];
  for (const poolSize of poolSizes) {
    if (poolSize === undefined || !installedPgBouncer.missing)
      rows.push(await measurePooling(server, folder.path, poolSize));
  }
  return {
    title: "Connections of many cells",
    method: `${cells.length} cells with ${processesOfCell} processes of the platform app each. The databases of all cells are on one PostgreSQL server, which counts its connections every ${sampleMs} ms: for ${restMs / 1000} s without calls, and while each process gets ${calls} calls that start a device authorization, ${callsAtOnce} at the same time. PgBouncer is in transaction mode; its rows are missing if it is not installed. Everything shares all cores, which limit the calls per second.`,
    columns: ["between", "connections at rest", "under load", "of one cell", "calls/s", "call ms", "p99"],
    rows,
    measured: [],
  };
}

function nameOf(poolSize: number | undefined): string {
  return poolSize === undefined ? "nothing" : `PgBouncer, up to ${poolSize} connections for each cell`;
}

/** Returns the settings of a process of a cell. */
function settingsOf(cell: string, url: string, folder: string, name: string) {
  return {
    DATABASE_URL: url,
    CELL: cell,
    DATA_DIR: join(folder, cell, name),
    KEYS_FILE: join(folder, "keys.json"),
    DEMO: "off",
    RATE_LIMITS: "off",
  };
}

async function createCells(server: TemporaryPostgres, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const cell of cells) await client.query(`CREATE DATABASE ${cell}`);
  await client.end();
  for (const cell of cells) await createCell(settingsOf(cell, server.urlOf(cell), folder, "first"));
}

async function measurePooling(
  server: TemporaryPostgres,
  folder: string,
  poolSize: number | undefined,
): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack();
  const pooler = poolSize && (await startPgBouncer(server.url, { default_pool_size: poolSize, max_client_conn: 1000 }));
  if (pooler) stack.defer(pooler.stop);
  const processes: Process[] = [];
  for (const cell of cells) {
    const direct = server.urlOf(cell);
    const url = pooler ? pooler.through(direct) : direct;
    for (let index = 0; index < processesOfCell; index += 1) {
      const settings = settingsOf(cell, url, folder, `process-${index}`);
      const app = stack.use(await startApp(settings));
      processes.push({ app, call: adminOf(app.internalUrl, join(settings.DATA_DIR, "admin.token")) });
    }
  }
  await setTimeout(settleMs);
  const rest = await countDuring(server.url, setTimeout(restMs));
  const startedAt = performance.now();
  const load = callAll(processes);
  const busy = await countDuring(server.url, load);
  const times = Float64Array.from(await load).sort();
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    nameOf(poolSize),
    withDigits(rest.all, 0),
    withDigits(busy.all, 0),
    withDigits(busy.ofOne, 0),
    withDigits(times.length / seconds, 0),
    withDigits(quantile(times, 0.5), 0),
    withDigits(quantile(times, 0.99), 0),
  ];
}

/** A process of a cell, and how to call its private operations. */
interface Process {
  readonly app: RunningApp;
  readonly call: ReturnType<typeof adminOf>;
}

/** Calls all processes at the same time. Returns how long each call took, in milliseconds. */
async function callAll(processes: readonly Process[]): Promise<readonly number[]> {
  const times: number[] = [];
  const authorization = { tenantId: firstTenant, oauthClientId: "agent", scopes: ["vault.items:delete"] };
  const callOne = async ({ call }: Process): Promise<void> => {
    const calledAt = performance.now();
    await call("DeviceAuthorizationService/StartDeviceAuthorization", authorization);
    times.push(performance.now() - calledAt);
  };
  await Promise.all(processes.map((process) => inBatches(calls, () => callOne(process), callsAtOnce)));
  return times;
}

/** The most connections that were open at the same time: of all cells, and of one. */
interface Counted {
  readonly all: number;
  readonly ofOne: number;
}

/** Counts the connections of the cells until a promise is settled. */
async function countDuring(url: string, until: Promise<unknown>): Promise<Counted> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  until.then(end, end);
  let most: Counted = { all: 0, ofOne: 0 };
  try {
    while (!ended) {
      const { rows } = await client.query<{ open: number }>(
        "SELECT count(*)::integer AS open FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = ANY ($1) GROUP BY datname",
        [cells],
      );
      const open = rows.map((row) => row.open);
      most = {
        all: Math.max(
          most.all,
          open.reduce((sum, each) => sum + each, 0),
        ),
        ofOne: Math.max(most.ofOne, ...open),
      };
      await setTimeout(sampleMs);
    }
    return most;
  } finally {
    await client.end();
  }
}
