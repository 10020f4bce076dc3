import {
  type Call,
  createAuthenticator,
  createKeyRing,
  createMemoryKeyStore,
  createPlatform,
  createProofKeys,
  createSecrets,
  createTokenIssuer,
  createTokenVerifier,
  type Platform,
  type Storage,
  systemClock,
} from "@platform-rpc/server";

/** Who calls in benches. */
export const caller = { tenantId: "tenant-1", principalId: "principal-1", oauthClientId: "client-1" };

/** A call in which a bench prepares its data. */
export const seedCall: Call = {
  actor: { ...caller, tokenId: "", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** The whole platform on a storage, without limits, and a token of the caller that is good for DeleteItem. */
export async function createBenchPlatform(storage: Storage): Promise<{ platform: Platform; token: string }> {
  const clock = systemClock;
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const names = { issuer: "https://bench.example", audience: "https://bench.example/api" };
  const platform = createPlatform({
    storage,
    clock,
    secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }),
    issuer: createTokenIssuer({ keyRing, ...names, brokerAudience: "https://bench.example/broker" }),
    authenticator: createAuthenticator({ verifier: createTokenVerifier({ keyRing, clock, ...names }), storage, clock }),
    proofKeys: createProofKeys(),
    rateLimiter: undefined,
    guesses: undefined,
  });
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
