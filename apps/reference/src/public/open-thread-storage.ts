import type { MessagePort } from "node:worker_threads";
import { connectSqliteStorage, type Storage } from "@platform-rpc/server";
import { type OpenStorageOptions, openPostgres } from "../open-storage.js";

/** The storage of an HTTP thread. */
export interface ThreadStorage extends Storage {
  /** The calls of this thread that wait for a batch. */
  queued(): number;
}

/** Opens the storage of an HTTP thread: a connection to the thread of SQLite, or an own storage on PostgreSQL. */
export async function openThreadStorage({
  settings,
  port,
  ...options
}: OpenStorageOptions & { readonly port: MessagePort | undefined }): Promise<ThreadStorage> {
  if (port !== undefined) return connectSqliteStorage(port, options);
  const { databaseUrl } = settings;
  if (databaseUrl === undefined) throw new TypeError("An HTTP thread on SQLite needs a connection to its thread.");
  const storage = await openPostgres(databaseUrl, options);
  return { ...storage, queued: () => storage.figures().queued };
}
