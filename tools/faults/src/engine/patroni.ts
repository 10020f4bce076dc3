import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startCluster } from "@platform-rpc/testbed/patroni";
import type { Engine } from "./engine.ts";
import { query } from "./postgres.ts";
import { queries, readRows } from "./queries.ts";

/** Starts a Patroni cluster in a folder, where the app also stores its keys, which all of its processes share. */
export async function createPatroniEngine(folder: string): Promise<Engine> {
  const home = join(folder, "cluster");
  mkdirSync(home, { mode: 0o700 });
  const cluster = await startCluster(home);
  const url = `postgres://platform@127.0.0.1:${cluster.port}/postgres`;
  const environment = { DATABASE_URL: url, KEYS_FILE: join(folder, "keys.json") };
  return {
    name: "postgres",
    environmentOf: () => environment,
    cluster,
    readStored: () => readRows((table) => query({ url }, queries.postgres[table])),
    [Symbol.asyncDispose]: async () => cluster[Symbol.asyncDispose](),
  };
}
