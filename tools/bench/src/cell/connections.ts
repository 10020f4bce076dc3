import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { startPgBouncer } from "@platform-rpc/testbed/pgbouncer";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { withDigits } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { runCommand } from "./fill-cell.ts";

const cells = 10;
const processesOfCell = 4;
/** The most connections of PgBouncer to the database of each cell. */
const poolSize = 5;
/** The calls that each process gets at the same time, and how often. */
const [atOnce, times] = [50, 4];

const oauthClientId = "agent";
const deleteItem = "platform.v1.VaultService/DeleteItem";

/** A process of a cell: its tenant, and how its private operations are called. */
interface ProcessOfCell {
  readonly tenantId: string;
  readonly admin: ReturnType<typeof adminOf>;
}

/** Runs `pnpm bench connections`: how many connections the processes of many cells hold, with PgBouncer and without. */
export async function benchConnections(): Promise<BenchResult> {
  const rows: (readonly string[])[] = [];
  for (const pooled of [false, true]) rows.push(await measureConnections(pooled));
  return {
    title: "Connections of many cells",
    method: `${cells} cells, each a database of one PostgreSQL server with ${processesOfCell} processes of the platform app. Each process gets ${atOnce} device authorizations to start at the same time, ${times} times. PgBouncer runs in transaction mode, with at most ${poolSize} connections to each database. The connections are those of clients in pg_stat_activity, the most that were seen every 50 ms.`,
    columns: ["processes", "PgBouncer", "connections to PostgreSQL: idle", "under load", "calls/s"],
    rows,
    measured: [],
  };
}

async function measureConnections(pooled: boolean): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const server = await startPostgres({ settings: { max_connections: 1_000 } });
  stack.defer(server.stop);
  const pool = { default_pool_size: poolSize, max_client_conn: 2_000 };
  const pooler = pooled ? await startPgBouncer(server.url, pool) : undefined;
  if (pooler !== undefined) stack.defer(pooler.stop);
  const watch = new pg.Client({ connectionString: server.url });
  await watch.connect();
  stack.defer(() => watch.end());

  const apps: ProcessOfCell[] = [];
  for (let cell = 0; cell < cells; cell += 1) {
    const [name, tenantId] = [`cell-${cell}`, `tenant-${cell}`];
    await watch.query(`CREATE DATABASE "${name}"`);
    const url = server.urlOf(name);
    // Migrations hold a session: they do not go through PgBouncer.
    await runCommand({ DATABASE_URL: url }, "migrate-database");
    await runCommand({ DATABASE_URL: url }, "assign-tenant", tenantId);
    for (let process = 0; process < processesOfCell; process += 1) {
      const dataDir = join(folder.path, `${name}-${process}`);
      const app = await startApp({
        ...{
          DATABASE_URL: pooler?.through(url) ?? url,
          CELL: name,
          DATA_DIR: dataDir,
          KEYS_FILE: join(folder.path, "keys.json"),
        },
        ...{ DEMO: "off", RATE_LIMITS: "off", LOG_LEVEL: "error" },
      });
      stack.use(app);
      const admin = adminOf(app.internalUrl, join(dataDir, "admin.token"));
      apps.push({ tenantId, admin });
      const client = { tenantId, oauthClientId, name: "Agent", allowedOperations: [deleteItem], enabled: true };
      await admin("AccessAdminService/SetOauthClient", client);
    }
  }
  const idle = await connectionsOf(watch);
  let most = idle;
  const startedAt = performance.now();
  const ended = Promise.all(apps.map(load));
  while (!(await Promise.race([ended, setTimeout(50)]))) most = Math.max(most, await connectionsOf(watch));
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    withDigits(apps.length, 0),
    pooled ? "yes" : "no",
    withDigits(idle, 0),
    withDigits(most, 0),
    withDigits((apps.length * atOnce * times) / seconds, 0),
  ];
}

async function load({ tenantId, admin }: ProcessOfCell): Promise<void> {
  const body = { tenantId, oauthClientId, scopes: ["vault.items:delete"] };
  for (let time = 0; time < times; time += 1) {
    const start = () => admin("DeviceAuthorizationService/StartDeviceAuthorization", body);
    await Promise.all(Array.from({ length: atOnce }, start));
  }
}

/** Counts the connections of clients to the server, without the one that counts. */
async function connectionsOf(client: pg.Client): Promise<number> {
  const sql = `
    SELECT count(*)::integer AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  const { rows } = await client.query<{ count: number }>(sql);
  return rows[0]?.count ?? 0;
}
