import { isFrom, may, requireOptions } from "@platform-rpc/options";

/** A valid proof, to be recorded as used. */
export interface UsedProof {
  /** A hash that reveals nothing about the proof. */
  readonly proofId: string;
  /** The RFC 7638 thumbprint of the key that signed the proof. */
  readonly thumbprint: string;
  /** The last moment at which the `iat` of the proof is acceptable, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The time at which the request is verified, in milliseconds since the epoch. May be earlier than in a previous call. */
  readonly now: number;
}

/**
 * - `first`: the proof was not used before.
 * - `seen`: the proof was used before, or is so old that it may have been.
 * - `key_full`: the cache has reached the maximum number of proofs of this key.
 * - `full`: the cache has no room for any proof.
 */
export type ProofUse = "first" | "seen" | "key_full" | "full";

/**
 * Records used proofs, so that each is accepted once. If your broker runs as several processes, share one cache between
 * them; otherwise a proof is accepted once by each.
 */
export interface ReplayCache {
  /**
   * Records a proof in one atomic step: of any number of concurrent calls with one id, exactly one returns "first". Keeps
   * it until a minute after `expiresAt`, even if the clock is set in between. A full cache rejects new proofs instead of
   * evicting others, because an evicted proof could be used again.
   */
  record(proof: UsedProof): ProofUse | Promise<ProofUse>;
}

/** The bounds of a replay cache. */
export interface ReplayCacheOptions {
  /** The maximum number of recorded proofs. Default: 200 000, about 24 MB, enough for at least 1,100 requests a second. */
  readonly capacity?: number;
  /** The maximum number of proofs of one key. Default: a twentieth of `capacity`. */
  readonly capacityPerKey?: number;
}

/** How long a proof is kept after it expired, in milliseconds. */
const margin = 60_000;

/**
 * Creates a replay cache in the memory of one process. It removes expired proofs at most once a second.
 *
 * If the clock is set back, the `iat` of proofs that were removed becomes acceptable again. The cache therefore keeps the
 * latest `expiresAt` that it removed, and answers "seen" for every proof that expires no later.
 *
 * @example
 * ```ts
 * import { createReplayCache } from "@platform-rpc/broker";
 *
 * const cache = createReplayCache({ capacity: 10_000 });
 * const now = clock.now();
 * const proof = { proofId: "proof-1", thumbprint: "key-1", expiresAt: now + 60_000, now };
 * console.log(cache.record(proof), cache.record(proof));
 * // first seen
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createReplayCache(options: ReplayCacheOptions = {}): ReplayCache {
  requireOptions("createReplayCache", options, {
    capacity: may("be a number from 1", isFrom(1)),
    capacityPerKey: may("be a number from 1", isFrom(1)),
  });
  const { capacity = 200_000, capacityPerKey = Math.ceil(capacity / 20) } = options;
  /** When each proof expires, by thumbprint and proof id. */
  const keys = new Map<string, Map<string, number>>();
  let size = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let removedUpTo = Number.NEGATIVE_INFINITY;

  const removeExpired = (now: number) => {
    if (now >= sweptAt && now - sweptAt < 1000) return;
    sweptAt = now;
    for (const [thumbprint, proofs] of keys) {
      for (const [proofId, expiresAt] of proofs) {
        if (expiresAt + margin >= now) continue;
        proofs.delete(proofId);
        size -= 1;
        removedUpTo = Math.max(removedUpTo, expiresAt);
      }
      if (proofs.size === 0) keys.delete(thumbprint);
    }
  };

  return {
    record({ proofId, thumbprint, expiresAt, now }) {
      removeExpired(now);
      const proofs = keys.get(thumbprint) ?? new Map<string, number>();
      if (expiresAt <= removedUpTo || proofs.has(proofId)) return "seen";
      if (proofs.size >= capacityPerKey) return "key_full";
      if (size >= capacity) return "full";
      keys.set(thumbprint, proofs.set(proofId, expiresAt));
      size += 1;
      return "first";
    },
  };
}
