import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Stored } from "../history/history-file.ts";
import { createCellsEngine } from "./cells.ts";
import { type Disk, limitFileSizes, mountDisk } from "./disk.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { createPostgresEngine } from "./postgres.ts";
import { queries, readRows } from "./queries.ts";

export type EngineName = Engine["name"];

export async function createEngine(name: EngineName, folder: string, options: EngineOptions): Promise<Engine> {
  if (name === "sqlite") return createSqliteEngine(folder, options);
  if (options.server === "cells") return await createCellsEngine(folder, options);
  return await createPostgresEngine(folder, options);
}

function createSqliteEngine(folder: string, { smallDisk = false }: EngineOptions): Engine {
  const dataDir = join(folder, "app-0/data");
  const path = join(dataDir, "platform.sqlite");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const disk = smallDisk ? createDisk(dataDir) : undefined;
  return {
    name: "sqlite",
    environmentOf: () => ({}),
    disk,
    async readStored(): Promise<Stored> {
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        const integrity = JSON.stringify(database.prepare("PRAGMA integrity_check").all());
        if (integrity !== '[{"integrity_check":"ok"}]') throw new Error(`${path} is damaged: ${integrity}`);
        return await readRows(async (table) => database.prepare(queries.sqlite[table]).all());
      } finally {
        database.close();
      }
    },
    [Symbol.asyncDispose]: async () => disk?.release(),
  };
}

function createDisk(folder: string): Disk {
  try {
    return mountDisk(folder, 128);
  } catch {
    return limitFileSizes(folder);
  }
}
