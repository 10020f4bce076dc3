import { type Storage, StorageError } from "../../../ports/storage.js";
import type { Tracing } from "../../../ports/tracing.js";
import { createFlushQueue } from "../flush-queue.js";
import type { QueueLimits } from "../storage-on-database.js";
import type { PendingCall, ThreadConnection } from "./connect-thread.js";

/** A storage in another thread. */
export interface RemoteStorage extends Storage {
  /** Sends a call of another method. Fails as "unavailable" after `close`. */
  readonly call: ThreadConnection["call"];
  /** Returns the number of calls that wait in this thread. */
  readonly queued: () => number;
}

/**
 * Creates the storage at the other end of a connection. Transactions that are requested while a batch is being committed wait in
 * this thread's queue, and become the next batch. All other calls are sent at once.
 *
 * @param end ends the connection, once the queued work is finished.
 */
export function createRemoteStorage(
  thread: ThreadConnection,
  { queueLimit = 10_000, batchLimit = 256, tracing }: QueueLimits & { readonly tracing?: Tracing | undefined },
  end: () => Promise<void>,
): RemoteStorage {
  const queue = createFlushQueue<PendingCall & { readonly wanted: () => boolean }>({
    queueLimit,
    batchLimit,
    // One batch at a time, so that whether a call is still wanted is known just before it begins.
    flush: (batch) => thread.perform(batch.filter(isWanted)),
    tracing,
  });
  let closing: Promise<void> | undefined;

  const call: RemoteStorage["call"] = async (message, signal) => {
    if (closing !== undefined) throw new StorageError("unavailable");
    return thread.call(message, signal);
  };

  return {
    call,
    queued: () => queue.length,
    transact: (ref, { name, args }, { wanted = () => true } = {}) =>
      new Promise((resolve, reject) => {
        const transaction = { method: "transact", ref, rule: name, args } as const;
        const queued = closing === undefined && queue.push({ call: transaction, wanted, resolve, reject });
        if (!queued) reject(new StorageError("unavailable"));
      }),
    readRecords: (keys) => call({ method: "readRecords", keys }),
    listChanges: (query) => call({ method: "listChanges", query }),
    listVaults: (query) => call({ method: "listVaults", query }),
    listShreddable: (now, limit) => call({ method: "listShreddable", now, limit }),
    listRecords: (query) => call({ method: "listRecords", query }),
    purge: (expiredBefore, limit) => call({ method: "purge", expiredBefore, limit }),
    sealAudit: (limit) => call({ method: "sealAudit", limit }),
    readBacklog: () => call({ method: "readBacklog" }),
    readAudit: (position, limit) => call({ method: "readAudit", position, limit }),
    listAudit: (query) => call({ method: "listAudit", query }),
    check: () => call({ method: "check" }),
    verify: () => call({ method: "verify" }),
    close() {
      closing ??= queue.drained().then(end);
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
