import { startPostgres } from "@platform-rpc/temporary-postgres";
import pg from "pg";
import { onAllCores } from "../load/pinning.ts";
import type { Measured } from "../load/target.ts";
import { readServerCpu } from "./server-cpu.ts";

/** What is measured. `database` is the CPU time of PostgreSQL per deletion, in microseconds. */
export type MeasuredWithDatabase = Measured & { readonly database: number };

/** A PostgreSQL server for the databases of a benchmark. */
export interface Databases {
  /** Creates a database. Returns its URL. */
  create(name: string): Promise<string>;
  /** Measures a number of deletions, and the CPU time that PostgreSQL takes for them. */
  withCpu(deletions: number, measure: () => Promise<Measured>): Promise<MeasuredWithDatabase>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL on all cores, which it shares with the servers and the load. Its buffers hold all databases of a benchmark. */
export async function startDatabases(): Promise<Databases> {
  const postgres = await startPostgres({ under: onAllCores, settings: { shared_buffers: "2GB" } });
  return {
    async create(name) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return postgres.urlOf(name);
    },
    async withCpu(deletions, measure) {
      const before = readServerCpu(postgres.folder);
      const measured = await measure();
      return { ...measured, database: (readServerCpu(postgres.folder) - before) / deletions };
    },
    stop: postgres.stop,
  };
}
