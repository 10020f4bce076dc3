import {
  createFiguresMemory,
  publicContract,
  publicOperations,
  type RequestEnd,
  type TokenLookup,
} from "@platform-rpc/server";
import { createCallLayout } from "./call-figures.js";
import { createLookupRecorder, recordThread, type ThreadGauges, threadPlaces } from "./thread-figures.js";

/** The layout of the public calls in the memory of a thread, after the thread's own figures. */
export const publicCalls = createCallLayout([...publicOperations.keys()], [...publicContract.reasons.keys()]);

/** The memory in which one thread records. Another thread can read it at any time, also while the thread is blocked. */
export interface ThreadMemory {
  readonly numbers: SharedArrayBuffer;
  /** The figures of the thread's own storage, if it has one. */
  readonly storage: SharedArrayBuffer;
}

export function createThreadMemory(): ThreadMemory {
  return {
    numbers: new SharedArrayBuffer((threadPlaces + publicCalls.places) * Float64Array.BYTES_PER_ELEMENT),
    storage: createFiguresMemory(),
  };
}

/** Returns the two parts of a thread's memory. */
export function partsOf(memory: ThreadMemory): { readonly thread: Float64Array; readonly calls: Float64Array } {
  const numbers = new Float64Array(memory.numbers);
  return { thread: numbers.subarray(0, threadPlaces), calls: numbers.subarray(threadPlaces) };
}

/** Records what one thread does. */
export interface ThreadRecorder {
  /** For the public listener. */
  readonly onRequestEnd: (end: RequestEnd) => void;
  /** For the platform. */
  readonly onTokenLookup: (lookup: TokenLookup) => void;
  /** Samples the event loop and the gauges until the returned function is called. */
  watch(read: () => ThreadGauges): () => void;
}

export function createThreadRecorder(memory: ThreadMemory): ThreadRecorder {
  const { thread, calls } = partsOf(memory);
  return {
    onRequestEnd: publicCalls.recorder(calls),
    onTokenLookup: createLookupRecorder(thread),
    watch: (read) => recordThread(thread, read),
  };
}
