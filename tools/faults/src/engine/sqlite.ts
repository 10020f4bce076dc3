import { DatabaseSync } from "node:sqlite";
import type { Stored } from "../verify/stored.ts";
import type { Engine } from "./engine.ts";
import { queries, readRows } from "./queries.ts";

/** The SQLite database in the data folder of the app. */
export function createSqliteEngine(path: string): Engine {
  return {
    name: "sqlite",
    environment: {},
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
    [Symbol.asyncDispose]: async () => undefined,
  };
}
