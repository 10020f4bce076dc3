import { parentPort, workerData } from "node:worker_threads";
import { createSharedRateLimiter } from "./shared-rate-limiter.js";

/** A thread of a test: takes calls of each key in turn, and sends how many calls of each key it got. */
const { memory, keys, times }: { memory: SharedArrayBuffer; keys: readonly string[]; times: number } = workerData;
const limiter = createSharedRateLimiter({ clock: { now: () => 1_790_000_000_000 }, memory });
const taken = keys.map(() => 0);
for (let time = 0; time < times; time += 1) {
  for (const [index, key] of keys.entries()) {
    if (limiter.take(key, { perMinute: 1, burst: 1000 }) === 0) taken[index] = (taken[index] ?? 0) + 1;
  }
}
parentPort?.postMessage(taken);
