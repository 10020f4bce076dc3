import pg from "pg";
import { inject, onTestFinished } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the PostgreSQL server that tests share. Undefined outside of the project "postgres". */
    readonly postgresUrl: string | undefined;
  }
}

/** A role that has the rights of the app, and owns nothing. */
export const appLogin = "app_login";

/** Returns the URL of a database for a role that has the rights of the app. */
export function asApp(url: string): string {
  const login = new URL(url);
  login.username = appLogin;
  return login.href;
}

let created = 0;
/** The connection with which this process creates and drops databases. The server starts a process for each new connection. */
let connected: Promise<pg.Client> | undefined;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Runs statements on the server that tests share. Returns the rows of the last one. */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}

/** Creates a database without data, which exists until the test ends. Returns its URL. */
export function createTestDatabase({ migrated = true } = {}): Promise<string> {
  return copyTestDatabase(migrated ? "template1" : "template0");
}

/** Creates a copy of the files of a database that has no connection. Its pages are in no memory of the server yet. */
export async function copyTestDatabase(template: string): Promise<string> {
  const server = inject("postgresUrl");
  if (server === undefined) throw new Error("This test runs only in the project postgres.");
  created += 1;
  const name = `test_${process.pid}_${created}`;
  connected ??= connect(server);
  const client = await connected;
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  onTestFinished(() => client.query(`DROP DATABASE ${name} WITH (FORCE)`).then(() => {}));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
