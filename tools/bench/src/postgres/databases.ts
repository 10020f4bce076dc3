import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { onAllCores } from "../load/pinning.ts";
import type { Measured } from "../load/target.ts";

/** What is measured. `database` is the CPU time of PostgreSQL per deletion, in microseconds. */
export type MeasuredWithDatabase = Measured & { readonly database: number };

/** A PostgreSQL server for the databases of a benchmark. */
interface Databases {
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

/** The times of /proc are in these, on every Linux that Node.js runs on. */
const tickMicros = 10_000;

/** Returns the CPU time that all processes of a PostgreSQL server have used, in microseconds. NaN where there is no /proc. */
function readServerCpu(dataFolder: string): number {
  if (!existsSync("/proc")) return Number.NaN;
  const main = Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times === undefined) continue;
    if (times.parent === main) ticks += times.own;
    // The processes that have ended are counted by their parent.
    if (Number(name) === main) ticks += times.own + times.ofEndedChildren;
  }
  return ticks * tickMicros;
}

/** Reads the parent of a process, and its times in ticks. Returns undefined if the process has ended. */
function readTimes(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses, which may contain spaces. These are the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const sum = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), own: sum(11), ofEndedChildren: sum(13) };
  } catch {
    return undefined;
  }
}
