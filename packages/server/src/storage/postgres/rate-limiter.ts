import { createHash } from "node:crypto";
import type { GuessLimiter, Rate, RateLimiter } from "../../ports/rate-limiter.js";
import type { CallFunction } from "./database/database.js";

/** How long a process keeps calls that it has taken ahead, in milliseconds. The database forgets them after 5 s. */
const keepMs = 1000;
const dropBucketsEveryMs = 60_000;

interface KnownBucket {
  readonly id: string;
  readonly rate: Rate;
  /** The calls that were taken ahead and are left. */
  ahead: number;
  /** How many were taken ahead the last time. */
  takenAhead: number;
  /** Until when they may be used, by `performance.now()`. */
  keepUntil: number;
  /** The calls taken ahead that were used since the database was told. */
  spent: number;
  /** The calls since the last sweep, and between the last two: about as many are taken ahead. */
  recent: number;
  before: number;
  /** Until when the bucket is empty, by `performance.now()`. */
  emptyUntil: number;
  waiting: Waiting[];
  queued: boolean;
}

interface Waiting {
  readonly resolve: (waitMs: number) => void;
  readonly reject: (error: unknown) => void;
}

/** A rate limiter with work in the background. */
export interface PostgresRateLimiter extends RateLimiter {
  close(): void;
}

/** The served calls, the calls taken ahead, and the milliseconds until the next call is available. */
type Taken = readonly [served: number, ahead: number, waitMs: number];

/**
 * Creates a limiter with token buckets in the database: all processes together allow what one limiter allows, and never more than
 * 1.1 times that. Its clock is the database's.
 *
 * The first call of a bucket waits for the database. Then calls are taken ahead, as many as were made lately, so that most calls
 * need only memory. One statement at a time takes calls of all buckets that need some. A bucket that is empty is asked again when
 * the next call is available.
 */
export function createPostgresRateLimiter(call: CallFunction): PostgresRateLimiter {
  const buckets = new Map<string, KnownBucket>();
  let queue: KnownBucket[] = [];
  let asking = false;
  let timer: NodeJS.Timeout | undefined;
  let dropBucketsAt = performance.now() + dropBucketsEveryMs * Math.random();

  function ask(bucket: KnownBucket): void {
    if (bucket.queued) return;
    bucket.queued = true;
    queue.push(bucket);
    if (asking) return;
    asking = true;
    setImmediate(askAll);
  }

  async function askAll(): Promise<void> {
    for (; queue.length > 0; ) {
      const batch = queue.sort((a, b) => (a.id < b.id ? -1 : 1));
      queue = [];
      await askBatch(batch);
    }
    asking = false;
  }

  async function askBatch(batch: readonly KnownBucket[]): Promise<void> {
    const askedAt = performance.now();
    const requests = batch.map((bucket) => {
      const { id: key, rate, spent } = bucket;
      const expected = Math.max(bucket.recent, bucket.before);
      bucket.queued = false;
      const { waiting } = bucket;
      bucket.waiting = [];
      bucket.spent = 0;
      // What is left is returned when it is too old, or there are no calls any more.
      const returned = expected === 0 || askedAt > bucket.keepUntil ? bucket.ahead : 0;
      bucket.ahead -= returned;
      const ahead = Math.max(0, expected - bucket.ahead);
      return { bucket, waiting, values: { key, waiting: waiting.length, ahead, spent, returned, ...rate } };
    });
    try {
      const values = JSON.stringify(requests.map(({ values }) => values));
      const answers = await call<readonly Taken[]>("SELECT platform_take_calls($1)", values);
      for (const [index, { bucket, waiting }] of requests.entries()) settle(bucket, waiting, answers[index], askedAt);
    } catch (error) {
      for (const { waiting } of requests) for (const { reject } of waiting) reject(error);
    }
  }

  function settle(bucket: KnownBucket, waiting: readonly Waiting[], taken: Taken | undefined, askedAt: number): void {
    const [served = 0, ahead = 0, waitMs = 1000] = taken ?? [];
    bucket.ahead += ahead;
    bucket.takenAhead = bucket.ahead;
    bucket.keepUntil = askedAt + 2 * keepMs;
    if (served < waiting.length) bucket.emptyUntil = performance.now() + waitMs;
    for (const [index, { resolve }] of waiting.entries()) resolve(index < served ? 0 : waitMs);
  }

  /** Returns what was not used lately, and forgets what is not needed. */
  function sweep(): void {
    const now = performance.now();
    for (const [key, bucket] of buckets) {
      if (bucket.recent === 0 && bucket.ahead === 0 && !bucket.queued && now > bucket.emptyUntil) buckets.delete(key);
      else if (bucket.recent === 0 && bucket.ahead > 0) ask(bucket);
      bucket.before = bucket.recent;
      bucket.recent = 0;
    }
    if (buckets.size === 0) stop();
    if (now < dropBucketsAt) return;
    dropBucketsAt = now + dropBucketsEveryMs;
    call("SELECT platform_drop_full_buckets()").catch(() => {});
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    take(key, rate) {
      timer ??= setInterval(sweep, keepMs).unref();
      const now = performance.now();
      const bucket = buckets.get(key) ?? newBucket(key, rate);
      buckets.set(key, bucket);
      bucket.recent += 1;
      if (bucket.ahead > 0 && now < bucket.keepUntil) {
        bucket.ahead -= 1;
        bucket.spent += 1;
        if (bucket.ahead * 2 <= bucket.takenAhead) ask(bucket);
        return 0;
      }
      if (now < bucket.emptyUntil) return Math.ceil(bucket.emptyUntil - now);
      const { waiting } = bucket;
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        ask(bucket);
      });
    },
    close: stop,
  };
}

function newBucket(key: string, rate: Rate): KnownBucket {
  const counts = { ahead: 0, takenAhead: 0, spent: 0, recent: 0, before: 0 };
  return { id: hashKey(key), rate, ...counts, keepUntil: 0, emptyUntil: 0, waiting: [], queued: false };
}

/** Returns a key of fixed length for a text of any length. */
function hashKey(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Creates a limiter that counts misses exactly, with one statement for each guess. All processes of a database share it. */
export function createPostgresGuessLimiter(call: CallFunction, windowMs = 600_000): GuessLimiter {
  return {
    async guess(limits) {
      const hashed = limits.map(({ key, most }) => ({ key: hashKey(key), most }));
      const sorted = hashed.sort((a, b) => (a.key < b.key ? -1 : 1));
      return call<boolean>("SELECT platform_guess($1, $2)", JSON.stringify(sorted), windowMs);
    },
    async pardon(keys) {
      await call("SELECT platform_pardon($1)", JSON.stringify(keys.map(hashKey).sort()));
    },
  };
}
