import { type Call, createMemoryKeyStore, createPlatform, type Platform, type Storage } from "@platform-rpc/server";

/** Who calls in benches. */
export const caller = { tenantId: "tenant-1", principalId: "principal-1", oauthClientId: "client-1" };

/** What stands in the tokens of benches. */
export const names = {
  issuer: "https://bench.example",
  audience: "https://bench.example/api",
  brokerAudience: "https://bench.example/broker",
};

/** A call in which a bench prepares its data. */
export const seedCall: Call = {
  actor: { ...caller, tokenId: "", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** The whole platform on a storage, without limits, and a token of the caller that is good for DeleteItem. */
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
