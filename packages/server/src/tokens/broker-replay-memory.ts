/** A proof that was found good, for the question whether it was used before. */
export interface UsedProof {
  /** A hash. Holds nothing of the proof. */
  readonly proofId: string;
  /** The RFC 7638 thumbprint of the key that signed the proof. */
  readonly thumbprint: string;
  /** The last moment at which the `iat` of the proof is acceptable, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The time by which the whole request is judged, in milliseconds since the epoch. May be behind that of an earlier call. */
  readonly now: number;
}

/**
 * - `first`: the proof was not used before.
 * - `seen`: it was, or it is so old that it may have been.
 * - `key_full`: its key has used as many proofs as one key may within the window.
 * - `full`: there is no room for the proofs of any key.
 */
export type Remembrance = "first" | "seen" | "key_full" | "full";

/** Remembers proofs, so that each is used once. Brokers that run as several processes share one, or each is used once in each. */
export interface ProofReplayMemory {
  /**
   * Remembers a proof in one atomic step: of any number of concurrent calls with one id, exactly one is "first". Keeps
   * it for a minute longer than `expiresAt`, whatever the clock does meanwhile. When there is no room the proof is
   * refused, because forgetting another one early would let that be used again.
   */
  remember(proof: UsedProof): Remembrance | Promise<Remembrance>;
}

/** How much is remembered. */
export interface ProofReplayMemoryOptions {
  /** How many proofs are remembered at most. Default: 200 000, about 24 MB, and 1,100 requests a second at least. */
  readonly capacity?: number;
  /** How many of them may be of one key. Default: a twentieth of `capacity`. */
  readonly capacityOfKey?: number;
}

/** How long a proof is remembered after its time is over, in milliseconds. */
const margin = 60_000;

/**
 * Creates the memory of one process. It looks for what it may forget at most once a second.
 *
 * Where the clock is set back, proofs that were forgotten become acceptable again by their `iat`. So the memory also
 * keeps the latest `expiresAt` that it forgot, and refuses whatever expires no later: no clock lets a proof in twice.
 *
 * @example
 * ```ts
 * import { createProofReplayMemory } from "@platform-rpc/server";
 *
 * const memory = createProofReplayMemory({ capacity: 10_000 });
 * const now = clock.now();
 * const proof = { proofId: "proof-1", thumbprint: "key-1", expiresAt: now + 60_000, now };
 * console.log(memory.remember(proof), memory.remember(proof));
 * // first seen
 * ```
 */
export function createProofReplayMemory(options: ProofReplayMemoryOptions = {}): ProofReplayMemory {
  const { capacity = 200_000, capacityOfKey = Math.ceil(capacity / 20) } = options;
  /** When each proof expires, by thumbprint and proof id. */
  const keys = new Map<string, Map<string, number>>();
  let size = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let forgottenUpTo = Number.NEGATIVE_INFINITY;

  const forgetExpired = (now: number) => {
    if (now >= sweptAt && now - sweptAt < 1000) return;
    sweptAt = now;
    for (const [thumbprint, proofs] of keys) {
      for (const [proofId, expiresAt] of proofs) {
        if (expiresAt + margin >= now) continue;
        proofs.delete(proofId);
        size -= 1;
        forgottenUpTo = Math.max(forgottenUpTo, expiresAt);
      }
      if (proofs.size === 0) keys.delete(thumbprint);
    }
  };

  return {
    remember({ proofId, thumbprint, expiresAt, now }) {
      forgetExpired(now);
      const proofs = keys.get(thumbprint) ?? new Map<string, number>();
      if (expiresAt <= forgottenUpTo || proofs.has(proofId)) return "seen";
      if (proofs.size >= capacityOfKey) return "key_full";
      if (size >= capacity) return "full";
      keys.set(thumbprint, proofs.set(proofId, expiresAt));
      size += 1;
      return "first";
    },
  };
}
