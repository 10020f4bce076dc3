import type { MessagePort } from "node:worker_threads";
import { type AcknowledgedChange, connectSqliteStorage, type RateLimiter, type Storage } from "@platform-rpc/server";
import { type OpenStorageOptions, openPostgres } from "../open-storage.js";

/** The storage of an HTTP thread. */
export interface ThreadStorage extends Storage {
  /** The calls that wait in this thread, if the figures of the storage do not contain them. */
  queued(): number;
  /** Returns some of the newest changes that it has acknowledged. None on SQLite. */
  recentChanges(): readonly AcknowledgedChange[];
  /** The limiter that the processes of a database share. Undefined on SQLite. */
  readonly rateLimiter?: RateLimiter;
}

export interface ThreadStorageOptions extends OpenStorageOptions {
  readonly port: MessagePort | undefined;
  /** The memory for the figures of a storage on PostgreSQL. */
  readonly figures: SharedArrayBuffer;
}

/** Opens the storage of an HTTP thread: a connection to the thread of SQLite, or an own storage on PostgreSQL. */
export async function openThreadStorage({ settings, port, ...options }: ThreadStorageOptions): Promise<ThreadStorage> {
  if (port !== undefined) return { ...connectSqliteStorage(port, options), recentChanges: () => [] };
  const { databaseUrl } = settings;
  if (databaseUrl === undefined) throw new TypeError("An HTTP thread on SQLite needs a connection to its thread.");
  return { ...(await openPostgres(databaseUrl, options)), queued: () => 0 };
}
