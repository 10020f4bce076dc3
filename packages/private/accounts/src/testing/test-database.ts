import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the tests. Undefined where they run on SQLite. */
    readonly postgresUrl: string | undefined;
  }
}

export const engine = inject("postgresUrl") === undefined ? "SQLite" : "PostgreSQL";

const databases = new Map<string, string>();
let created = 0;

/**
 * Returns the URL of the PostgreSQL database that belongs to a data directory; a new one for a new directory. Undefined where the
 * tests run on SQLite.
 *
 * @param options.migrated whether a new database has all tables already, which saves the time of creating them. Default: yes.
 */
export async function testDatabase(dataDir: string, { migrated = true } = {}): Promise<string | undefined> {
  const server = inject("postgresUrl");
  if (server === undefined) return undefined;
  const known = databases.get(dataDir);
  if (known !== undefined) return known;
  created += 1;
  const name = `app_${process.pid}_${created}`;
  await runSql(server, `CREATE DATABASE ${name} TEMPLATE ${migrated ? "template1" : "template0"} STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  databases.set(dataDir, url.href);
  return url.href;
}

/** Removes the database that belongs to a data directory, if there is one. */
export async function dropTestDatabase(dataDir: string): Promise<void> {
  const url = databases.get(dataDir);
  databases.delete(dataDir);
  if (url === undefined) return;
  await runSql(inject("postgresUrl") ?? "", `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
