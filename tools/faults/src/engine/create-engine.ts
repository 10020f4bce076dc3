import { join } from "node:path";
import type { Engine } from "./engine.ts";
import { createSqliteEngine } from "./sqlite.ts";

export type EngineName = Engine["name"];

/** Creates the database of a run, in a folder. */
export async function createEngine(name: EngineName, folder: string): Promise<Engine> {
  if (name === "postgres") throw new Error("PostgreSQL is not supported yet.");
  return createSqliteEngine(join(folder, "app-0/data/platform.sqlite"));
}
