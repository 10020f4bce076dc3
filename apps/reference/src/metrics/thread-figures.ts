import {
  createFiguresMemory,
  type Histogram,
  publicContract,
  publicOperations,
  type RequestEnd,
  type TokenLookup,
} from "@platform-rpc/server";
import { add, lagBounds, observe, placesOf, readHistogram, sumAt } from "./buckets.js";
import { createCallLayout } from "./call-figures.js";

/** What a thread that serves HTTP does now. */
export interface ThreadGauges {
  readonly connections: number;
  readonly callsInFlight: number;
  /** The calls of this thread that wait to be sent to the storage. */
  readonly queuedCalls: number;
}

const lookups: readonly TokenLookup[] = ["hit", "joined", "miss"];
const gaugesAt = lookups.length;
const lagAt = gaugesAt + 3;
const sampleEveryMs = 200;

export const threadPlaces = lagAt + placesOf(lagBounds);

/** Creates the hook that counts how tokens are looked up. */
export function createLookupRecorder(numbers: Float64Array): (lookup: TokenLookup) => void {
  return (lookup) => add(numbers, lookups.indexOf(lookup), 1);
}

/**
 * Records every 200 ms how late the event loop runs a timer, and what the thread does now. Does not keep the process alive. Returns
 * a function that ends the recording.
 */
export function recordThread(numbers: Float64Array, read: () => ThreadGauges): () => void {
  let due = performance.now() + sampleEveryMs;
  const sample = () => {
    const now = performance.now();
    observe(numbers, lagAt, lagBounds, Math.max(0, now - due) / 1000);
    due = now + sampleEveryMs;
    const { connections, callsInFlight, queuedCalls } = read();
    numbers.set([connections, callsInFlight, queuedCalls], gaugesAt);
  };
  const timer = setInterval(sample, sampleEveryMs).unref();
  return () => clearInterval(timer);
}

/** The figures of all threads together. */
export interface ThreadFigures extends ThreadGauges {
  readonly lookups: readonly { readonly result: TokenLookup; readonly count: number }[];
  /** In seconds. */
  readonly lag: Histogram;
}

export function readThreads(threads: readonly Float64Array[]): ThreadFigures {
  return {
    lookups: lookups.map((result, place) => ({ result, count: sumAt(threads, place) })),
    connections: sumAt(threads, gaugesAt),
    callsInFlight: sumAt(threads, gaugesAt + 1),
    queuedCalls: sumAt(threads, gaugesAt + 2),
    lag: readHistogram(threads, lagAt, lagBounds),
  };
}

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

export function partsOf(memory: ThreadMemory): { readonly thread: Float64Array; readonly calls: Float64Array } {
  const numbers = new Float64Array(memory.numbers);
  return { thread: numbers.subarray(0, threadPlaces), calls: numbers.subarray(threadPlaces) };
}

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
