import type { Backup } from "../backup/back-up-database.js";
import type { Writer } from "../writer.js";
import type { ErrorData, ReceivedError } from "./error-data.js";

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

export type SentCall = WriterCall & { readonly id: number };

/** The id under which the thread reports that the database is open, with its known damage, or why it cannot be opened. */
export const openingId = 0;

/** The id under which the thread reports how long a checkpoint has taken, in milliseconds. */
export const checkpointId = -1;

export type Answer<Value, Data> =
  | { readonly id: number; readonly value: Value; readonly error?: undefined }
  | { readonly id: number; readonly error: Data };

export type SentAnswer = Answer<unknown, ErrorData>;

/** `value` has the type `never`, because only the caller knows its type. */
export type ReceivedAnswer = Answer<never, ReceivedError>;

export type ResultData<Data> = { readonly sequence: number | undefined } | { readonly error: Data };
