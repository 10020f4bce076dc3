import { createCellsEngine } from "./cells.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { createPatroniEngine } from "./patroni.ts";
import { createPostgresEngine } from "./postgres.ts";
import { createSqliteEngine } from "./sqlite.ts";

export type EngineName = Engine["name"];

/** Creates the database of a run, in a folder. */
export async function createEngine(name: EngineName, folder: string, options: EngineOptions): Promise<Engine> {
  if (name === "sqlite") return createSqliteEngine(folder, options);
  if (options.server === "patroni") return await createPatroniEngine(folder);
  if (options.server === "cells") return await createCellsEngine(folder, options);
  return await createPostgresEngine(folder, options);
}
