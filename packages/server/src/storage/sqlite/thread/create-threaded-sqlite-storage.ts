import { Worker } from "node:worker_threads";
import { createFiguresMemory, readFigures } from "../../figures.js";
import { stopping } from "../backup/backups.js";
import type { SqliteStorage, SqliteStorageOptions } from "../create-sqlite-storage.js";
import { connectThread } from "./connect-thread.js";
import type { StorageThreadData } from "./messages.js";
import { createRemoteStorage } from "./remote-storage.js";

/**
 * Creates a storage as `createSqliteStorage` does, in a separate thread: while a commit waits for the disk, the calling thread
 * keeps running.
 *
 * Only rules of this package can be applied. If the thread ends unexpectedly, open calls fail as "unavailable", because it is
 * unknown whether they were committed, and all later calls fail as "lost": end the process, as when the files are lost.
 *
 * @example
 * ```ts
 * import { createThreadedSqliteStorage } from "@platform-rpc/server";
 *
 * const storage = await createThreadedSqliteStorage({ path: ":memory:" });
 * const { head } = await storage.listChanges({ tenantId: "acme", vaultId: "personal", afterSequence: 0, limit: 10 });
 * console.log(head);
 * // 0
 * await storage.close();
 * ```
 *
 * @throws the errors of `createSqliteStorage`, as rejections.
 */
export function createThreadedSqliteStorage(options: SqliteStorageOptions): Promise<SqliteStorage> {
  return startStorageThread(new URL("./storage-thread.js", import.meta.url), options);
}

/** Starts a module that calls `serveStorage` as a thread, and returns its storage. */
export async function startStorageThread(module: URL, options: SqliteStorageOptions): Promise<SqliteStorage> {
  const { tracing, ...limits } = options;
  const figures = createFiguresMemory();
  const data: StorageThreadData = { options: limits, figures };
  const worker = new Worker(module, { name: "storage", workerData: data, execArgv: [] });
  const thread = connectThread(worker);
  worker.on("error", thread.lose);
  const ended = new Promise<void>((resolve) => {
    worker.on("exit", (code) => {
      thread.lose(new Error(`the thread of the storage ended with code ${code}`));
      resolve();
    });
  });
  const { call, queued, ...storage } = createRemoteStorage(thread, { ...limits, tracing }, async () => {
    try {
      await thread.call({ method: "close" });
    } finally {
      worker.ref();
      await ended;
    }
  });
  let closing = false;
  await thread.opened();
  return {
    ...storage,
    async backUp(path, signal) {
      if (closing) throw stopping();
      return call({ method: "backUp", path }, signal);
    },
    readHistory: (known) => call({ method: "readHistory", known }),
    figures() {
      const read = readFigures(figures);
      return { ...read, queued: read.queued + queued() };
    },
    close() {
      closing = true;
      return storage.close();
    },
  };
}
