import { randomInt } from "node:crypto";
import type { Clock } from "../ports/clock.js";
import type { MemoryRateLimiter } from "../ports/rate-limiter.js";
import { takeCall } from "./token-bucket.js";

/** The buckets of a set. In a full set, a new bucket replaces the least recently used one. */
const bucketsOfSet = 8;
/** The 32-bit words of a bucket: two hashes of its key, then its parts and its time as 64-bit numbers. */
const bucketWords = 6;
/** The 32-bit words of a set: its lock, one unused word, and its buckets. */
const setWords = 2 + bucketsOfSet * bucketWords;
/** The 32-bit words before the first set: the seeds of the two hashes. */
const seedWords = 2;

/** The clock and the memory of a limiter that threads share. */
export interface SharedRateLimiterOptions {
  readonly clock: Clock;
  /** The memory from `createRateMemory`, the same one in each thread. */
  readonly memory: SharedArrayBuffer;
}

/**
 * Creates the memory of `createSharedRateLimiter`.
 *
 * @param maxKeys the number of buckets. Default: 100 000, in 2.5 MB.
 */
export function createRateMemory(maxKeys = 100_000): SharedArrayBuffer {
  const sets = Math.ceil(maxKeys / bucketsOfSet);
  const memory = new SharedArrayBuffer((seedWords + sets * setWords) * 4);
  // The seeds are secret, so that no caller can choose keys that fall into one set.
  for (let index = 0; index < seedWords; index += 1) new Uint32Array(memory)[index] = randomInt(2 ** 32);
  return memory;
}

/**
 * Creates a limiter with token buckets in memory that several threads share: all threads together allow what one limiter allows.
 *
 * A key is stored as two 32-bit hashes. A dropped bucket counts as full.
 *
 * @example
 * ```ts
 * import { createRateMemory, createSharedRateLimiter } from "@platform-rpc/server";
 *
 * const memory = createRateMemory();
 * // In each thread, with the same memory:
 * const rateLimiter = createSharedRateLimiter({ clock: { now: Date.now }, memory });
 * console.log(rateLimiter.take("principal", { perMinute: 60, burst: 1 }));
 * // 0
 * ```
 */
export function createSharedRateLimiter({ clock, memory }: SharedRateLimiterOptions): MemoryRateLimiter {
  const words = new Int32Array(memory);
  const numbers = new Float64Array(memory);
  const sets = (words.length - seedWords) / setWords;
  const [firstSeed = 0, secondSeed = 0] = words;

  /** Returns the index of the first word of a key's bucket, or of the bucket that the key's new one replaces. */
  function find(set: number, first: number, second: number): number {
    let oldest = set;
    for (let at = set; at < set + bucketsOfSet * bucketWords; at += bucketWords) {
      if (words[at] === first && words[at + 1] === second) return at;
      if ((numbers[at / 2 + 2] ?? 0) < (numbers[oldest / 2 + 2] ?? 0)) oldest = at;
    }
    return oldest;
  }

  return {
    take(key, rate) {
      // Never 0, which marks an unused bucket.
      const first = hash(key, firstSeed) | 1;
      const second = hash(key, secondSeed);
      const lock = seedWords + ((first >>> 1) % sets) * setWords;
      // A thread holds a lock for less than a microsecond, and never waits while it holds one.
      while (Atomics.compareExchange(words, lock, 0, 1) !== 0);
      try {
        const at = find(lock + 2, first, second);
        const known = words[at] === first && words[at + 1] === second;
        const number = at / 2 + 1;
        const before = known ? { parts: numbers[number] ?? 0, at: numbers[number + 1] ?? 0 } : undefined;
        const after = takeCall(before, rate, clock.now());
        words[at] = first;
        words[at + 1] = second;
        numbers[number] = after.parts;
        numbers[number + 1] = after.at;
        return after.waitMs;
      } finally {
        Atomics.store(words, lock, 0);
      }
    },
  };
}

/** Returns a 32-bit hash of a text (FNV-1a over UTF-16 code units, with the finalizer of MurmurHash3). */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
  value = Math.imul(value ^ (value >>> 16), -2_048_144_789);
  value = Math.imul(value ^ (value >>> 13), -1_028_477_387);
  return value ^ (value >>> 16);
}
