import { join } from "node:path";
import type { Engine } from "./engine.ts";
import { createPostgresEngine } from "./postgres.ts";
import { createSqliteEngine } from "./sqlite.ts";

export type EngineName = Engine["name"];

/** Creates the database of a run, in a folder. `withStandby` is for PostgreSQL. */
export async function createEngine(name: EngineName, folder: string, withStandby: boolean): Promise<Engine> {
  return name === "postgres"
    ? await createPostgresEngine(folder, withStandby)
    : createSqliteEngine(join(folder, "app-0/data/platform.sqlite"));
}
