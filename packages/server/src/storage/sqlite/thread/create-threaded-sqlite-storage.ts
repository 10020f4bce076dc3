import { Worker } from "node:worker_threads";
import { StorageError } from "../../../ports/storage.js";
import { stopping } from "../backup/backups.js";
import type { SqliteStorage, SqliteStorageOptions } from "../create-sqlite-storage.js";
import { createFlushQueue } from "../flush-queue.js";
import { connectThread, type PendingCall } from "./connect-thread.js";

/**
 * Creates a storage as `createSqliteStorage` does, in a thread of its own: while a commit waits for the disk, this thread goes on.
 * Calls that are made while a batch is being committed wait in this thread's queue, and become the next batch.
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
  const { queueLimit = 10_000, batchLimit = 256 } = options;
  const thread = connectThread(new Worker(module, { name: "storage", workerData: options, execArgv: [] }));
  const queue = createFlushQueue<PendingCall & { readonly wanted: () => boolean }>({
    queueLimit,
    batchLimit,
    // One batch at a time, so that whether a call is still wanted is known just before it begins.
    flush: (batch) => thread.perform(batch.filter(isWanted)),
  });
  let closing: Promise<void> | undefined;

  const call: typeof thread.call = async (message, signal) => {
    if (closing !== undefined) throw new StorageError("unavailable");
    return thread.call(message, signal);
  };

  const close = async (): Promise<void> => {
    await queue.drained();
    await thread.end();
  };

  await thread.opened;
  return {
    transact: (ref, { name, args }, { wanted = () => true } = {}) =>
      new Promise((resolve, reject) => {
        const transaction = { method: "transact", ref, rule: name, args } as const;
        const queued = closing === undefined && queue.push({ call: transaction, wanted, resolve, reject });
        if (!queued) reject(new StorageError("unavailable"));
      }),
    readAccess: (ref) => call({ method: "readAccess", ref }),
    listChanges: (query) => call({ method: "listChanges", query }),
    listShreddable: (now, limit) => call({ method: "listShreddable", now, limit }),
    check: () => call({ method: "check" }),
    verify: () => call({ method: "verify" }),
    async backUp(path, signal) {
      if (closing !== undefined) throw stopping();
      return call({ method: "backUp", path }, signal);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Returns whether the caller still waits for the result; otherwise rejects the call. */
function isWanted({ wanted, reject }: PendingCall & { readonly wanted: () => boolean }): boolean {
  const is = wanted();
  if (!is) reject(new StorageError("dropped"));
  return is;
}
