import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startProxy } from "@platform-rpc/testbed/network";
import { startPgBouncer } from "@platform-rpc/testbed/pgbouncer";
import { startPostgres, type TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import * as z from "zod";
import { mountDisk } from "./disk.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { queries, readRows } from "./queries.ts";

/** The name under which the standby connects, and for which the primary waits at each commit. */
const standbyName = "standby";

const positionRows = z.tuple([z.object({ at: z.string() })]);
const clockRows = z.tuple([z.object({ at: z.number() })]);

/** The size of a disk that can be filled, in MiB: a new database and its WAL need half of it. */
const diskSize = 256;

/** Starts a PostgreSQL server behind a proxy, in a folder where the app also stores its keys, which all of its processes share. */
export async function createPostgresEngine(folder: string, options: EngineOptions): Promise<Engine> {
  await using starting = new AsyncDisposableStack();
  const { server = "alone", smallDisk = false, pooler: withPooler = false, under } = options;
  const withStandby = server === "with standby" || server === "with asynchronous standby";
  const parent = join(folder, "postgres");
  mkdirSync(parent, { mode: 0o700 });
  const disk = smallDisk ? mountDisk(parent, diskSize) : undefined;
  if (disk !== undefined) starting.defer(disk.release);
  const settings = {
    ...(server === "with standby" && { synchronous_standby_names: standbyName }),
    ...(smallDisk && { max_wal_size: "64MB", min_wal_size: "32MB" }),
  };
  const primary = await startPostgres({ parent, settings, ...(under && { under }) });
  starting.defer(primary.stop);
  const replication = withStandby ? starting.use(await startProxy(primary.port)) : undefined;
  const standby = replication && (await startStandby(primary, replication.port));
  if (standby !== undefined) starting.defer(standby.stop);
  await primary.start();
  const pooler = withPooler ? await startPgBouncer(primary.url, { default_pool_size: 10 }) : undefined;
  if (pooler !== undefined) starting.defer(pooler.stop);
  const network = starting.use(await startProxy(pooler?.port ?? primary.port));
  const environment = {
    DATABASE_URL: `postgres://platform@127.0.0.1:${network.port}/postgres`,
    KEYS_FILE: join(folder, "keys.json"),
  };
  let current = primary;
  const started = starting.move();
  return {
    name: "postgres",
    environmentOf: () => environment,
    disk,
    postgres: {
      network,
      pooler,
      kill: () => current.kill(),
      signal: (signal) => current.signal(signal),
      start: () => current.start(),
      async clock() {
        const rows = await query(
          current,
          "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at",
        );
        return clockRows.parse(rows)[0].at;
      },
      async cutReplication() {
        if (standby === undefined) throw new Error("The server has no standby.");
        const [{ at }] = positionRows.parse(await query(current, "SELECT pg_current_wal_lsn()::text AS at"));
        const replayed = `SELECT (pg_last_wal_replay_lsn() >= '${at}')::text AS at`;
        while (positionRows.parse(await query(standby, replayed))[0].at !== "true") await setTimeout(50);
        replication?.set("reset");
      },
      async failOver() {
        if (standby === undefined) throw new Error("The server has no standby.");
        await current.kill();
        await query(standby, "SELECT pg_promote()");
        current = standby;
        network.pointTo(standby.port);
      },
    },
    readStored: () => readRows((table) => query(current, queries.postgres[table])),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Starts a server that replicates another one, through a port. That one is stopped while its data is copied, and stays stopped. */
async function startStandby(primary: TemporaryPostgres, port: number): Promise<TemporaryPostgres> {
  await primary.shutDown();
  const connection = `host=127.0.0.1 port=${port} user=platform application_name=${standbyName}`;
  return startPostgres({ standbyOf: primary.folder, settings: { primary_conninfo: connection } });
}

export async function query({ url }: { readonly url: string }, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
