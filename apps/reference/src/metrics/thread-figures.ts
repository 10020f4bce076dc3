import type { Histogram, TokenLookup } from "@platform-rpc/server";
import { add, lagBounds, observe, placesOf, readHistogram, sumAt } from "./buckets.js";

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

/** The number of places of a thread's figures. */
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
