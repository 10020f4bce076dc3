import type { Metrics } from "../metrics/metrics.js";
import type { Health } from "../platform/health.js";
import type { AppStorage } from "../platform/open-storage.js";
import { createHttpThreads, type HttpThreads, type HttpThreadsOptions } from "./http-threads.js";
import { createPublicListener, type PublicListenerOptions } from "./public-listener.js";

export interface PublicServerOptions
  extends Omit<PublicListenerOptions, "health" | "reusePort" | "onRequestEnd">,
    Pick<HttpThreadsOptions, "writeLog" | "onFatal"> {
  readonly storage: AppStorage;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Creates the server of the public listener: in this thread, or in `WORKERS` other threads if `WORKERS` is above 1. */
export function createPublicServer({ storage, health, metrics, ...options }: PublicServerOptions): HttpThreads {
  const { addThread, mainThread } = metrics;
  if (options.settings.workers > 1) {
    const connectStorage = () => storage.connect?.();
    return createHttpThreads({ ...options, connectStorage, readiness: health.readiness, addThread });
  }
  const { onRequestEnd } = mainThread;
  const listener = createPublicListener({ ...options, health: health.documents, reusePort: false, onRequestEnd });
  return {
    listen: listener.listen,
    close: () => listener.close(),
    leave: listener.leave,
    // The figures of the storage contain the calls that wait in this thread.
    gauges: () => ({ connections: listener.connections, callsInFlight: listener.callsInFlight, queuedCalls: 0 }),
    recentChanges: () => [],
    updateReadiness: () => {},
    followClock: () => {},
  };
}
