import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { adminOf, type RunningApp, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { startPostgres, type TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import { runToEnd } from "@platform-rpc/testbed/processes";
import pg from "pg";
import { inBatches } from "../platform/seed.ts";
import { withDigits } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { expiredOfTenant, fillCell, itemsOfTenant, runCommand } from "./fill-cell.ts";

const sizes = [100, 10_000] as const;
/** How many tenants are called before the memory is measured again. */
const called = 1_000;
const calledAtOnce = 20;

/** Runs `pnpm bench cell`: what a cell costs that has many tenants. */
export async function benchCell(): Promise<BenchResult> {
  const rows: (readonly string[])[] = [];
  for (const tenants of sizes) rows.push(await measureCell(tenants));
  return {
    title: "A cell with many tenants",
    method: `A cell on PostgreSQL, and one process of the platform app. Each tenant has a vault with ${itemsOfTenant} items, a person, an OAuth client, and ${expiredOfTenant} records that have expired. One tenant was created by the app, and SQL copied it. The start ends when the app is ready. Memory is the resident memory of the process, after its start and after a device authorization was started for each of up to ${withDigits(called, 0)} tenants. The purge removes all expired records. \`platform cells\` is a process that lists all tenants with what is stored of each. The backup is that of pg_basebackup, if it is installed with the same major version as the server.`,
    columns: [
      "tenants",
      "database MiB",
      "start ms",
      "memory MiB: started",
      "after calls",
      "call ms",
      "purge: records",
      "s",
      "platform cells s",
      "base backup s",
    ],
    rows,
    measured: [],
  };
}

async function measureCell(tenants: number): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const programs = findPrograms();
  const server = await startPostgres({ settings: { max_wal_size: "4GB" }, ...(programs && { programs }) });
  stack.defer(server.stop);
  const settings = {
    DATABASE_URL: server.url,
    CELL: "a",
    DATA_DIR: join(folder.path, "data"),
    DEMO: "off",
    RATE_LIMITS: "off",
  };
  await fillCell(settings, tenants);
  // Before the app starts, which purges, too.
  const { removed, seconds: purgeSeconds } = await purge(server.url);
  const startedAt = performance.now();
  await using app = await startApp(settings);
  const startMs = performance.now() - startedAt;
  const started = memoryOf(app);
  const calls = Math.min(called, tenants);
  const admin = adminOf(app.internalUrl, join(settings.DATA_DIR, "admin.token"));
  const callsAt = performance.now();
  await inBatches(
    calls,
    (index) =>
      admin("DeviceAuthorizationService/StartDeviceAuthorization", {
        ...{ tenantId: `tenant-${index}`, oauthClientId: "agent", scopes: ["vault.items:delete"] },
      }),
    calledAtOnce,
  );
  const callMs = ((performance.now() - callsAt) / calls) * calledAtOnce;
  const afterCalls = memoryOf(app);
  const cellsSeconds = await listCells(server.url, folder.path);
  return [
    withDigits(tenants, 0),
    withDigits((await sizeOf(server.url)) / 2 ** 20, 0),
    withDigits(startMs, 0),
    withDigits(started, 0),
    withDigits(afterCalls, 0),
    withDigits(callMs, 1),
    withDigits(removed, 0),
    withDigits(purgeSeconds, 1),
    withDigits(cellsSeconds, 1),
    programs === undefined ? "not installed" : withDigits(await backUp(server, programs, folder.path), 1),
  ];
}

/** The programs of PostgreSQL 15 in Debian. The npm package has no pg_basebackup, which must be as new as the server. */
const debian = "/usr/lib/postgresql/15/bin";

function findPrograms(): string | undefined {
  return existsSync(join(debian, "pg_basebackup")) ? debian : undefined;
}

/** Returns the resident memory of a process, in MiB. */
function memoryOf({ pid }: RunningApp): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / 1024;
}

async function purge(url: string): Promise<{ readonly removed: number; readonly seconds: number }> {
  const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32), cell: { ownTenants: [] } });
  try {
    const startedAt = performance.now();
    let removed = 0;
    for (;;) {
      const batch = await storage.purge(2, 500);
      if (batch === 0) return { removed, seconds: (performance.now() - startedAt) / 1000 };
      removed += batch;
    }
  } finally {
    await storage.close();
  }
}

async function listCells(url: string, folder: string): Promise<number> {
  const file = join(folder, "cells.json");
  writeFileSync(file, JSON.stringify({ a: url }));
  const startedAt = performance.now();
  await runCommand({}, "cells", file);
  return (performance.now() - startedAt) / 1000;
}

async function sizeOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

async function backUp({ port }: TemporaryPostgres, programs: string, folder: string): Promise<number> {
  const place = ["--host", "127.0.0.1", "--port", String(port), "--username", "platform"];
  const startedAt = performance.now();
  await runToEnd([
    join(programs, "pg_basebackup"),
    ...place,
    "--pgdata",
    join(folder, "backup"),
    "--checkpoint",
    "fast",
  ]);
  return (performance.now() - startedAt) / 1000;
}
