import type { Worker } from "node:worker_threads";
import { StorageError } from "../../../ports/storage.js";
import type { CallResult, CallWrites } from "../writer.js";
import { fromErrorData, type ReceivedError } from "./error-data.js";
import {
  checkpointId,
  openingId,
  type ReceivedAnswer,
  type ResultData,
  type ThreadMethods,
  type WriterCall,
} from "./serve-writer.js";

export interface WriterConnection extends ThreadMethods {
  /** Resolves with the known damage of the database when it is open. Rejects with the error of opening it. Call it first. */
  opened(): Promise<unknown>;
  /**
   * Call it when the thread has ended. Open calls fail as "unavailable", because it is unknown whether they were committed, and
   * later calls fail as "lost".
   */
  lose(cause: unknown): void;
}

/** A call that was sent and has no answer yet. */
interface OpenCall {
  resolve(value: never): void;
  reject(error: unknown): void;
}

/** Connects to the writer's thread. The connection keeps this thread alive only while calls are open. */
export function connectWriter(worker: Worker, madeCheckpoint: (milliseconds: number) => void): WriterConnection {
  const open = new Map<number, OpenCall>();
  let lastId = openingId;
  let lost: StorageError | undefined;

  const wait = <Value>(id: number): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (open.size === 0) worker.ref();
      open.set(id, { resolve, reject });
    });

  const take = (id: number): OpenCall | undefined => {
    const call = open.get(id);
    open.delete(id);
    if (open.size === 0) worker.unref();
    return call;
  };

  const send = <Value>(call: WriterCall): Promise<Value> => {
    if (lost !== undefined) return Promise.reject(lost);
    lastId += 1;
    // Fails for a value that cannot be copied.
    worker.postMessage({ ...call, id: lastId });
    return wait(lastId);
  };

  const commit = async (calls: readonly CallWrites[]): Promise<readonly CallResult[]> => {
    let sent: Promise<readonly ResultData<ReceivedError>[]>;
    try {
      sent = send({ method: "commit", args: [calls] });
    } catch (error) {
      const failed = findUncopied(calls);
      if (failed.size === 0) throw error;
      // Sent at once, so that no later batch overtakes it.
      const others = calls.filter(({ group }) => !failed.has(group));
      const results = (others.length === 0 ? [] : await commit(others)).values();
      return calls.map(({ group }): CallResult => failed.get(group) ?? results.next().value ?? { error });
    }
    const results = await sent;
    return results.map((result): CallResult => ("error" in result ? { error: fromErrorData(result.error) } : result));
  };

  worker.on("message", (answers: readonly ReceivedAnswer[]) => {
    for (const answer of answers) {
      const call = answer.id === checkpointId ? { resolve: madeCheckpoint, reject() {} } : take(answer.id);
      if (answer.error === undefined) call?.resolve(answer.value);
      else call?.reject(fromErrorData(answer.error));
    }
  });
  worker.unref();

  return {
    async opened() {
      const damage = await wait<ReceivedError | undefined>(openingId);
      return damage && fromErrorData(damage);
    },
    commit,
    settle: () => send({ method: "settle", args: [] }),
    check: (write) => send({ method: "check", args: [write] }),
    purge: (expiredBefore, limit) => send({ method: "purge", args: [expiredBefore, limit] }),
    sealAudit: (limit) => send({ method: "sealAudit", args: [limit] }),
    verify: () => send({ method: "verify", args: [] }),
    backUp: (path, waiter) => send({ method: "backUp", args: [path, waiter] }),
    stopBackup: (waiter) => send({ method: "stopBackup", args: [waiter] }),
    close: (settle) => send({ method: "close", args: [settle] }),
    lose(cause) {
      lost ??= new StorageError("lost", { cause });
      for (const id of [...open.keys()]) take(id)?.reject(new StorageError("unavailable", { cause }));
    },
  };
}

/** Returns the failure of each group with writes that cannot be copied to a thread. */
function findUncopied(calls: readonly CallWrites[]): ReadonlyMap<number, CallResult> {
  const failed = new Map<number, CallResult>();
  for (const { group, writes } of calls) {
    try {
      structuredClone(writes);
    } catch (cause) {
      failed.set(group, { error: new StorageError("unavailable", { cause }) });
    }
  }
  return failed;
}
