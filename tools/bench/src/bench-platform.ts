import { type Call, createMemoryKeyStore, createPlatform, type Platform, type Storage } from "@platform-rpc/server";

/** The caller in all benchmarks. */
export const caller = { tenantId: "tenant-1", principalId: "principal-1", oauthClientId: "client-1" };

/** The issuer and audiences of the benchmarks' tokens. */
export const names = {
  issuer: "https://bench.example",
  audience: "https://bench.example/api",
  brokerAudience: "https://bench.example/broker",
};

/** The call context in which a benchmark prepares its data. */
export const seedCall: Call = {
  actor: { ...caller, tokenId: "", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** Creates a platform without rate limits on a storage, and a token of the caller for DeleteItem. */
export async function createBenchPlatform(storage: Storage): Promise<{ platform: Platform; token: string }> {
  const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...names, rateLimiter: false });
  const { tenantId, principalId, oauthClientId } = caller;
  const { operations } = platform;
  const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
  const client = { tenantId, oauthClientId, name: "bench", allowedOperations, enabled: true };
  await operations.setPrincipal({ tenantId, principalId, active: true }, seedCall);
  await operations.setOauthClient(client, seedCall);
  const issued = await operations.issueAccessToken(
    { ...caller, scopes: ["vault.items:delete"], lifeSeconds: 900 },
    seedCall,
  );
  return { platform, token: issued.accessToken };
}
