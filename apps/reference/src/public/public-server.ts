import type { SqliteStorage, ThreadedSqliteStorage } from "@platform-rpc/server";
import type { Health } from "../health.js";
import { createHttpThreads, type HttpThreads, type HttpThreadsOptions } from "./http-threads.js";
import { createPublicListener, type PublicListenerOptions } from "./public-listener.js";

export interface PublicServerOptions
  extends Omit<PublicListenerOptions, "health" | "reusePort">,
    Pick<HttpThreadsOptions, "writeLog" | "onFatal"> {
  readonly storage: SqliteStorage | ThreadedSqliteStorage;
  readonly health: Health;
}

/** Creates the server of the public listener: in this thread, or in `WORKERS` other threads if `WORKERS` is above 1. */
export function createPublicServer({ storage, health, ...options }: PublicServerOptions): HttpThreads {
  if (options.settings.workers > 1 && "connect" in storage) {
    return createHttpThreads({ ...options, connectStorage: storage.connect, readiness: health.readiness });
  }
  const listener = createPublicListener({ ...options, health: health.documents, reusePort: false });
  return { listen: listener.listen, close: () => listener.close(), updateReadiness: () => {}, followClock: () => {} };
}
