import { availableParallelism } from "node:os";
import { createSqliteStorage, createThreadedSqliteStorage, type SqliteStorage } from "@platform-rpc/server";
import { databaseFile } from "./database-file.js";
import type { Settings } from "./settings.js";

/** Opens the storage, in a thread of its own or in this one. */
export async function openStorage(settings: Settings): Promise<SqliteStorage> {
  const options = { path: databaseFile(settings) };
  return usesThread(settings.storageThread, availableParallelism())
    ? createThreadedSqliteStorage(options)
    : createSqliteStorage(options);
}

/** Returns whether the storage gets a thread. On one core, the thread would only cost time. */
export function usesThread(setting: Settings["storageThread"], cores: number): boolean {
  return setting === "auto" ? cores > 1 : setting === "on";
}
