import { once } from "node:events";
import { createServer } from "node:net";
import { type MessagePort, Worker } from "node:worker_threads";
import type { Message } from "@bufbuild/protobuf";
import { type AcknowledgedChange, type Clock, createRateMemory, type Document } from "@platform-rpc/server";
import type { ThreadGauges, ThreadMemory } from "../metrics/thread-figures.js";
import { FatalError } from "../process/jobs.js";
import type { Settings } from "../settings/settings.js";
import type { FromHttpThread, HttpThreadData, ToHttpThread } from "./messages.js";

export interface HttpThreadsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** The maximum number of simultaneous connections of all threads. */
  readonly connections: number;
  /** Creates a connection to the storage for another thread. Returns undefined if the thread opens its own storage. */
  readonly connectStorage: () => MessagePort | undefined;
  readonly readiness: () => Document;
  /** Awaited before the response of each call is sent. Undefined if the demo is off. */
  readonly afterCall: ((request: Message) => Promise<void>) | undefined;
  readonly writeLog: (line: string) => void;
  /** Creates the memory for the metrics of a thread. */
  readonly addThread: () => ThreadMemory;
  /** Called when a thread has ended unexpectedly. */
  readonly onFatal: (error: FatalError) => void;
}

/** The threads that serve the public listener. */
export interface HttpThreads {
  /**
   * Starts the threads, and returns the port that they share. Port 0 selects a free port. Rejects if the port is in use.
   *
   * @throws FatalError when a thread cannot start.
   */
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  /** Sends the readiness document to the threads. Call it when the document may have changed. */
  updateReadiness(): void;
  /** Closes each connection after its next response, so that callers move to other processes. */
  leave(): void;
  /** Returns what the calling thread does for the public listener. The other threads record it themselves. */
  gauges(): ThreadGauges;
  /** Returns some of the newest changes that the storages of the threads have acknowledged. */
  recentChanges(): readonly AcknowledgedChange[];
  /** Makes the clocks of the threads follow the wall clock. */
  followClock(): void;
  /** Closes the listeners gracefully. Resolves when the threads have ended. */
  close(): Promise<void>;
}

interface HttpThread {
  readonly thread: Worker;
  readonly listening: Promise<void>;
  readonly ended: Promise<void>;
}

/**
 * Creates the server of `WORKERS` threads that serve the public listener on one port. The kernel assigns each connection to one of
 * them. Each thread has its own token cache. All of them share the storage and the rate limiter.
 */
export function createHttpThreads(options: HttpThreadsOptions): HttpThreads {
  const { settings, clock, connections, connectStorage, readiness, afterCall, writeLog, addThread, onFatal } = options;
  const rates = settings.rateLimits ? createRateMemory() : undefined;
  let threads: readonly HttpThread[] = [];
  const changes = new Map<Worker, readonly AcknowledgedChange[]>();
  let closing = false;

  const sendAll = (message: ToHttpThread) => {
    for (const { thread } of threads) thread.postMessage(message);
  };

  const receive = async (thread: Worker, message: FromHttpThread): Promise<void> => {
    if (message.kind === "changes") changes.set(thread, message.changes);
    if (message.kind === "log") for (const line of message.lines) writeLog(line);
    if (message.kind !== "after call") return;
    await afterCall?.(message.request);
    thread.postMessage({ kind: "after call", id: message.id } satisfies ToHttpThread);
  };

  const start = (port: number): HttpThread => {
    const storage = connectStorage();
    const data: HttpThreadData = {
      settings,
      port,
      connections: Math.ceil(connections / settings.workers),
      storage,
      rates,
      now: clock.now(),
      readiness: readiness(),
      metrics: addThread(),
    };
    const module = new URL("./http-thread.js", import.meta.url);
    const thread = new Worker(module, { name: "http", workerData: data, transferList: storage ? [storage] : [] });
    const listening = new Promise<void>((resolve, reject) => {
      thread.on("message", (message: FromHttpThread) => {
        if (message.kind === "listening") resolve();
        else receive(thread, message);
      });
      thread.on("error", (cause) => {
        const error = new FatalError("an HTTP thread failed", { cause });
        reject(error);
        onFatal(error);
      });
    });
    const ended = new Promise<void>((resolve) => {
      thread.on("exit", () => {
        if (!closing) onFatal(new FatalError("an HTTP thread ended unexpectedly"));
        resolve();
      });
    });
    return { thread, listening, ended };
  };

  return {
    async listen(port, host) {
      const free = await findFreePort(port, host);
      threads = Array.from({ length: settings.workers }, () => start(free));
      await Promise.all(threads.map(({ listening }) => listening));
      return { port: free };
    },
    updateReadiness: () => sendAll({ kind: "readiness", document: readiness() }),
    recentChanges: () => [...changes.values()].flat(),
    gauges: () => ({ connections: 0, callsInFlight: 0, queuedCalls: 0 }),
    leave: () => sendAll({ kind: "leave" }),
    followClock: () => sendAll({ kind: "follow clock" }),
    async close() {
      closing = true;
      sendAll({ kind: "close" });
      await Promise.all(threads.map(({ ended }) => ended));
    },
  };
}

/**
 * Returns the port, or a free one for port 0. Rejects if the port is in use. Without this check, the listeners would share the
 * port with another program of this user that also sets `reusePort`, and report no error.
 */
async function findFreePort(port: number, host: string): Promise<number> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : port;
}
