import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the tests. Undefined where they run on SQLite. */
    readonly postgresUrl: string | undefined;
  }
}

/** The engine of the tests. */
export const engine = inject("postgresUrl") === undefined ? "SQLite" : "PostgreSQL";

const databases = new Map<string, string>();
let created = 0;

/**
 * Returns the URL of the PostgreSQL database that belongs to a data directory; a new one for a new directory. Undefined where the
 * tests run on SQLite.
 */
export async function testDatabase(dataDir: string): Promise<string | undefined> {
  const server = inject("postgresUrl");
  if (server === undefined) return undefined;
  const known = databases.get(dataDir);
  if (known !== undefined) return known;
  created += 1;
  const name = `app_${process.pid}_${created}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  databases.set(dataDir, url.href);
  return url.href;
}
