import type { Clock } from "../ports/clock.js";

/** Remembers proofs, so that each is used once. Brokers that run as several processes share one, or each is used once in each. */
export interface ProofReplayMemory {
  /**
   * Remembers a proof until `expiresAt` (milliseconds since the epoch) in one atomic step: of any number of concurrent
   * calls with one id, exactly one is "first". "full" when there is no room: the proof is then refused too, because
   * forgetting another one early would let that be used again.
   *
   * `proofId` is a hash, and holds nothing of the proof.
   */
  remember(proofId: string, expiresAt: number): Remembrance | Promise<Remembrance>;
}

/** Whether a proof was seen for the first time, seen before, or cannot be remembered. */
export type Remembrance = "first" | "seen" | "full";

/** How much is remembered. */
export interface ProofReplayMemoryOptions {
  readonly clock: Clock;
  /** How many proofs are remembered at most. Default: 100 000, about 12 MB, and 800 requests a second at least. */
  readonly capacity?: number;
}

/**
 * The memory of one process. It forgets what has expired at most once a second.
 *
 * @example
 * ```ts
 * import { createProofReplayMemory } from "@platform/server";
 *
 * const memory = createProofReplayMemory({ clock, capacity: 10_000 });
 * const expiresAt = clock.now() + 60_000;
 * console.log(memory.remember("proof-1", expiresAt), memory.remember("proof-1", expiresAt));
 * // first seen
 * ```
 */
export function createProofReplayMemory(options: ProofReplayMemoryOptions): ProofReplayMemory {
  const { clock, capacity = 100_000 } = options;
  const expiries = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  const forgetExpired = (now: number) => {
    if (now >= sweptAt && now - sweptAt < 1000) return;
    sweptAt = now;
    for (const [proofId, expiresAt] of expiries) if (expiresAt < now) expiries.delete(proofId);
  };

  return {
    remember(proofId, expiresAt) {
      forgetExpired(clock.now());
      // One that has expired and is still here was seen all the same.
      if (expiries.has(proofId)) return "seen";
      if (expiries.size >= capacity) return "full";
      expiries.set(proofId, expiresAt);
      return "first";
    },
  };
}
