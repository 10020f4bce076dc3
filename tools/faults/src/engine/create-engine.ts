import { join } from "node:path";
import type { Engine, PostgresServer } from "./engine.ts";
import { createPatroniEngine } from "./patroni.ts";
import { createPostgresEngine } from "./postgres.ts";
import { createSqliteEngine } from "./sqlite.ts";

export type EngineName = Engine["name"];

/** Creates the database of a run, in a folder. `server` is for PostgreSQL. */
export async function createEngine(name: EngineName, folder: string, server: PostgresServer): Promise<Engine> {
  if (name === "sqlite") return createSqliteEngine(join(folder, "app-0/data/platform.sqlite"));
  if (server === "patroni") return await createPatroniEngine(folder);
  return await createPostgresEngine(folder, server === "with standby");
}
