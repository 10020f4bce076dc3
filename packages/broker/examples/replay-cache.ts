import type { ReplayCache } from "@platform-rpc/broker";

/** The part of a Redis client that the cache uses. `SET` with `NX` returns null when the key exists. */
interface Redis {
  set(key: string, value: string, options: { PXAT: number; NX: true }): Promise<string | null>;
}

/** Records used proofs in Redis, for a broker that runs as several processes. */
export function createRedisReplayCache(redis: Redis): ReplayCache {
  return {
    async record({ proofId, expiresAt }) {
      const stored = await redis.set(`dpop:${proofId}`, "1", { PXAT: Math.ceil(expiresAt) + 60_000, NX: true });
      return stored === null ? "seen" : "first";
    },
  };
}
