import type { Worker } from "node:worker_threads";
import { StorageError } from "../../../ports/storage.js";
import { fromErrorData } from "./error-data.js";
import { openingId, type ReceivedAnswer, type SentCall } from "./messages.js";

/** A call and what to do with its result. */
export interface PendingCall {
  readonly call: SentCall;
  resolve(value: never): void;
  reject(error: unknown): void;
}

/** A connection to a storage's thread. */
export interface ThreadConnection {
  /** Resolves when the storage is open. Rejects with the error of `createSqliteStorage`. Call it once, before any call. */
  opened(): Promise<void>;
  /** Sends calls in one message. Resolves when all of them have been resolved or rejected. */
  perform(calls: readonly PendingCall[]): Promise<void>;
  /** Sends one call. The thread aborts it when `signal` is aborted. */
  call<Value>(call: SentCall, signal?: AbortSignal): Promise<Value>;
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
  /** Called before the call is resolved or rejected. */
  answered(): void;
}

interface IdentifiedCall {
  readonly id: number;
  readonly call: SentCall;
}

/** Connects to a storage's thread. The connection keeps this thread alive only while calls are open. */
export function connectThread(port: Worker): ThreadConnection {
  const open = new Map<number, OpenCall>();
  let lastId = openingId;
  let lost: StorageError | undefined;

  const begin = ({ call, resolve, reject }: PendingCall, answered: () => void): IdentifiedCall => {
    if (open.size === 0) port.ref();
    lastId += 1;
    open.set(lastId, { resolve, reject, answered });
    return { id: lastId, call };
  };

  /** Removes a call. The caller resolves or rejects it. */
  const take = (id: number): OpenCall | undefined => {
    const call = open.get(id);
    open.delete(id);
    if (open.size === 0) port.unref();
    call?.answered();
    return call;
  };

  const post = (calls: readonly IdentifiedCall[]): void => {
    if (lost !== undefined) throw lost;
    port.postMessage(calls);
  };

  const postAll = (calls: readonly IdentifiedCall[]): void => {
    try {
      post(calls);
    } catch {
      // The thread has ended, or the arguments of a call cannot be copied. Sent one by one, only the calls that must fail do.
      for (const each of calls) {
        try {
          post([each]);
        } catch (error) {
          take(each.id)?.reject(error);
        }
      }
    }
  };

  const lose = (cause: unknown): void => {
    lost ??= new StorageError("lost", { cause });
    for (const id of [...open.keys()]) take(id)?.reject(new StorageError("unavailable", { cause }));
  };

  port.on("message", (answers: readonly ReceivedAnswer[]) => {
    for (const answer of answers) {
      const call = take(answer.id);
      if (answer.error === undefined) call?.resolve(answer.value);
      else call?.reject(fromErrorData(answer.error));
    }
  });
  port.on("messageerror", lose);
  port.unref();

  const call: ThreadConnection["call"] = (sent, signal) =>
    new Promise((resolve, reject) => {
      const begun = begin({ call: sent, resolve, reject }, () => signal?.removeEventListener("abort", abort));
      const abort = () => void call({ method: "abort", id: begun.id }).catch(() => {});
      postAll([begun]);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort);
    });

  return {
    opened: () =>
      new Promise((resolve, reject) => {
        port.ref();
        open.set(openingId, { resolve, reject, answered: () => {} });
      }),

    perform: (calls) =>
      new Promise((resolve) => {
        let left = calls.length;
        const answered = () => {
          left -= 1;
          if (left === 0) resolve();
        };
        if (left === 0) resolve();
        else postAll(calls.map((each) => begin(each, answered)));
      }),

    call,
    lose,
  };
}
