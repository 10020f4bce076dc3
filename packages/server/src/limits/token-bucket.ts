import type { Rate } from "../ports/rate-limiter.js";

/** A call is counted as 60 000 parts, so that a bucket refills by a whole number of parts, `perMinute`, each millisecond. */
const partsOfCall = 60_000;

/** The calls left for a key, in parts, and the time of that count. */
export interface Bucket {
  readonly parts: number;
  readonly at: number;
}

/** A bucket from which one call was taken, if one was available. */
interface TakenBucket extends Bucket {
  /** 0 if a call was taken, otherwise the milliseconds until one is available. */
  readonly waitMs: number;
}

/** Takes one call from a bucket. Undefined is a full bucket. */
export function takeCall(bucket: Bucket | undefined, { perMinute, burst }: Rate, now: number): TakenBucket {
  const full = burst * partsOfCall;
  const { parts, at } = bucket ?? { parts: full, at: now };
  const refilled = Math.min(full, parts + Math.max(0, now - at) * perMinute);
  const missing = partsOfCall - refilled;
  return missing > 0
    ? { parts: refilled, at: now, waitMs: Math.ceil(missing / perMinute) }
    : { parts: refilled - partsOfCall, at: now, waitMs: 0 };
}
