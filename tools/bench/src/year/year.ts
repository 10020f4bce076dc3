import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStorage, type Storage } from "@platform-rpc/server";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { summarize } from "../measure/statistics.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { createYear, loginsAtOnce, timesAMonth } from "./logins.ts";

const months = 12;

/** A storage whose tables can be measured. */
interface Engine {
  readonly name: string;
  readonly storage: Storage;
  /** Returns the rows and the bytes of the tables that logins write, without the audit trail. */
  readonly measure: () => Promise<{ readonly rows: number; readonly bytes: number }>;
}

/** Runs `pnpm bench year`: whether a year of logins leaves the tables that they write flat. */
export async function benchYear(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const rows: string[][] = [];
  for (const open of [openSqlite, openPostgres]) {
    const { name, storage, measure } = await open(stack);
    const year = await createYear(storage);
    for (let month = 1; month <= months; month += 1) {
      const costs = await year.nextMonth();
      const { rows: count, bytes } = await measure();
      if (month !== 1 && month % 3 !== 0) continue;
      const cpu = summarize(costs.map((cost) => cost.cpu));
      const elapsed = summarize(costs.map((cost) => cost.elapsed));
      rows.push([
        name,
        String(month),
        withDigits(count, 0),
        withDigits(bytes / 1024, 0),
        withSpread(cpu, 0),
        withSpread(elapsed, 0),
      ]);
    }
  }
  return {
    title: "A year of logins",
    method: `A fake clock simulates ${months} months. ${timesAMonth} times a month, ${loginsAtOnce} users log in at once: a device authorization is started, polled, approved and exchanged, and one of ten grants is revoked. Five days pass in between, and the job \`purge\` runs. Rows and sizes are those of the documents, with their indexes, at the end of the month; the audit trail, which is kept, is not counted. The times are those of one login with its share of purging. CPU is that of the process, which on PostgreSQL does not include the server.`,
    columns: ["storage", "month", "rows", "KiB", "CPU µs per login", "elapsed µs per login"],
    rows,
    measured: [],
  };
}

/** Contains every document. */
const tables = ["records"];

async function openSqlite(stack: AsyncDisposableStack): Promise<Engine> {
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const storage = createSqliteStorage({ path: join(folder.path, "year.sqlite") });
  stack.defer(() => storage.close());
  let copies = 0;
  return {
    name: "SQLite",
    storage,
    // The storage locks its file, so a backup is measured.
    async measure() {
      copies += 1;
      const { path } = await storage.backUp(join(folder.path, `copy-${copies}.sqlite`));
      const copy = new DatabaseSync(path, { readOnly: true });
      try {
        const owners = copy
          .prepare("SELECT name FROM sqlite_schema WHERE tbl_name IN (SELECT value FROM json_each(?))")
          .all(JSON.stringify(tables));
        const names = JSON.stringify(owners.map(({ name }) => name));
        const { bytes } =
          copy
            .prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT value FROM json_each(?))")
            .get(names) ?? {};
        const counts = tables.flatMap((table) => {
          if (!owners.some(({ name }) => name === table)) return [];
          const { rows = 0 } = copy.prepare(`SELECT count(*) AS rows FROM ${table}`).get() ?? {};
          return [Number(rows)];
        });
        return { rows: counts.reduce((a, b) => a + b, 0), bytes: Number(bytes) };
      } finally {
        copy.close();
      }
    },
  };
}

async function openPostgres(stack: AsyncDisposableStack): Promise<Engine> {
  // A day passes in a fraction of a second, so autovacuum looks every second, as if it were a minute.
  const server = await startPostgres({ settings: { synchronous_commit: "off", autovacuum_naptime: 1 } });
  stack.defer(server.stop);
  const storage = await createPostgresStorage({ url: server.url, contentKey: new Uint8Array(32) });
  stack.defer(() => storage.close());
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  stack.defer(() => client.end());
  return {
    name: "PostgreSQL",
    storage,
    async measure() {
      let [rows, bytes] = [0, 0];
      for (const table of tables) {
        const found = await client.query<{ rows: string; bytes: string }>(
          `SELECT count(*) AS rows, pg_total_relation_size('${table}') AS bytes FROM ${table}`,
        );
        rows += Number(found.rows[0]?.rows);
        bytes += Number(found.rows[0]?.bytes);
      }
      return { rows, bytes };
    },
  };
}
