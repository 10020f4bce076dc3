import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Backup } from "../backup/back-up-database.js";
import { createBackups } from "../backup/backups.js";
import { damageOf, openToWrite } from "../create-sqlite-storage.js";
import { storageErrorFrom } from "../database/sqlite-error.js";
import { type CallResult, createWriter, type Writer } from "../writer.js";
import { type ErrorData, type ReceivedError, toErrorData } from "./error-data.js";

export interface WriterThreadData {
  readonly path: string;
}

export interface ThreadMethods extends Writer {
  /** @param waiter identifies the call. */
  backUp(path: string, waiter: number): Promise<Backup>;
  /** Lets a call of `backUp` fail. The backup stops when no other call waits for it. */
  stopBackup(waiter: number): Promise<void>;
}

export type WriterCall = {
  readonly [Method in keyof ThreadMethods]: {
    readonly method: Method;
    readonly args: Parameters<ThreadMethods[Method]>;
  };
}[keyof ThreadMethods];

type SentCall = WriterCall & { readonly id: number };

/** The id under which the thread reports that the database is open, with its known damage, or why it cannot be opened. */
export const openingId = 0;

/** The id under which the thread reports how long a checkpoint has taken, in milliseconds. */
export const checkpointId = -1;

type Answer<Value, Data> =
  | { readonly id: number; readonly value: Value; readonly error?: undefined }
  | { readonly id: number; readonly error: Data };

type SentAnswer = Answer<unknown, ErrorData>;

/** `value` has the type `never`, because only the caller knows its type. */
export type ReceivedAnswer = Answer<never, ReceivedError>;

export type ResultData<Data> = { readonly sequences: readonly number[] } | { readonly error: Data };

/** When as many calls have arrived, they are committed before others are received. */
const callLimit = 256;

type CommitCall = SentCall & { readonly method: "commit" };

/**
 * Serves the writer of a database to the thread that started this one, with a `WriterThreadData` as its data. The thread ends when the
 * writer is closed.
 *
 * @throws TypeError in the main thread.
 */
export function serveWriter(adapt: (writer: Writer) => Writer = (writer) => writer): void {
  if (parentPort === null) throw new TypeError("serveWriter was called in the main thread. Start it as a worker.");
  const port = parentPort;
  const { path }: WriterThreadData = workerData;
  try {
    const { methods, damage } = open(port, path, adapt);
    servePort(port, methods);
    send(port, [{ id: openingId, value: damage && toErrorData(storageErrorFrom(damage)) }]);
  } catch (error) {
    // The port has no listener, so the thread ends.
    send(port, [{ id: openingId, error: toErrorData(error) }]);
  }
}

function open(port: MessagePort, path: string, adapt: (writer: Writer) => Writer) {
  const madeCheckpoint = (value: number) => send(port, [{ id: checkpointId, value }]);
  const { database, damage } = openToWrite(path, { shared: true });
  try {
    const writer = adapt(createWriter(database, { madeCheckpoint }));
    const backups = createBackups(database);
    const stops = new Map<number, AbortController>();
    const methods: ThreadMethods = {
      ...writer,
      backUp(to, waiter) {
        const stop = new AbortController();
        stops.set(waiter, stop);
        return backups.backUp(to, stop.signal).finally(() => stops.delete(waiter));
      },
      stopBackup: async (waiter) => stops.get(waiter)?.abort(),
      async close(settle) {
        await backups.close();
        await writer.close(settle);
      },
    };
    return { methods, damage };
  } catch (error) {
    database.close();
    throw damageOf(error, path);
  }
}

function servePort(port: MessagePort, methods: ThreadMethods): void {
  const answer = (id: number, work: Promise<unknown>) =>
    work.then(
      (value) => send(port, [{ id, value }]),
      (error: unknown) => send(port, [{ id, error: toErrorData(error) }]),
    );

  /** Commits what several batches write, with one flush. The groups of each are numbered separately. */
  const commit = (batches: readonly CommitCall[]) => {
    const calls = batches.flatMap(({ args: [each] }, index) =>
      each.map(({ group, writes }) => ({ group: group * batches.length + index, writes })),
    );
    return methods.commit(calls).then(
      (results) => {
        let from = 0;
        const answers = batches.map(({ id, args: [each] }) => {
          const value = results.slice(from, from + each.length).map(toData);
          from += each.length;
          return { id, value };
        });
        send(port, answers);
      },
      (error: unknown) =>
        send(
          port,
          batches.map(({ id }) => ({ id, error: toErrorData(error) })),
        ),
    );
  };

  const next = (calls: number): SentCall | undefined =>
    calls < callLimit ? receiveMessageOnPort(port)?.message : undefined;

  port.on("message", (first: SentCall) => {
    let batches: CommitCall[] = [];
    let calls = 0;
    const commitAll = () => {
      if (batches.length > 0) commit(batches);
      batches = [];
      calls = 0;
    };
    // What is left is received in the next turn of the event loop, when the answers were sent and a checkpoint could begin.
    for (let call: SentCall | undefined = first; call !== undefined; call = next(calls)) {
      if (call.method === "commit") {
        batches.push(call);
        calls += call.args[0].length;
      } else {
        commitAll();
        answer(call.id, perform(methods, call));
        // The thread ends when no work is left.
        if (call.method === "close") port.unref();
      }
    }
    commitAll();
  });
}

async function perform(methods: ThreadMethods, { method, args }: SentCall): Promise<unknown> {
  return Reflect.apply(methods[method], undefined, args);
}

function toData(result: CallResult): ResultData<ErrorData> {
  return "error" in result ? { error: toErrorData(result.error) } : result;
}

function send(port: MessagePort, answers: readonly SentAnswer[]): void {
  port.postMessage(answers);
}
