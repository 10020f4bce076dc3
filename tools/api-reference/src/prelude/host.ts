import {
  createAuthenticator,
  createKeyRing,
  createMemoryKeyStore,
  createPlatform,
  createProofKeys,
  createSecrets,
  createSqliteStorage,
  createTokenIssuer,
  createTokenVerifier,
} from "@platform-rpc/server";

/** What those have who serve the platform, and read an example. The clock stands still. */
export async function createHostsPrelude() {
  const clock = { now: () => 1_700_000_000_000 };
  const storage = createSqliteStorage({ path: ":memory:" });
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const names = { issuer: "https://id.example", audience: "https://api.example" };
  const issuer = createTokenIssuer({ keyRing, ...names, brokerAudience: "https://broker.example" });
  const verifier = createTokenVerifier({ keyRing, clock, ...names });
  const authenticator = createAuthenticator({ verifier, storage, clock });
  const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
  const [tenantId, principalId, oauthClientId] = ["acme", "ada", "agent-1"];
  const issuedAt = clock.now() / 1000;
  const grant = {
    ...{ grantId: "grant-1", tenantId, principalId, oauthClientId, scopes: ["vault.items:delete"] },
    ...{ keyId: keyRing.currentKeyId(), issuedAt, expiresAt: issuedAt + 900 },
    ...{ accessTokenId: "token-1", brokerTokenId: "token-2", popKeyId: "" },
  };
  return {
    ...{ clock, storage, keyRing, issuer, verifier, authenticator, secrets, grant },
    /** Signed from `grant`. */
    brokerToken: await issuer.signBrokerToken(grant),
    platform: createPlatform({
      ...{ storage, clock, secrets, issuer, authenticator, proofKeys: createProofKeys() },
      ...{ rateLimiter: undefined, guesses: undefined },
    }),
    /** A call that the gate admitted. */
    call: {
      actor: { tenantId, principalId, oauthClientId, tokenId: "token-1", operation: "example", requestId: "request-1" },
      wanted: () => true,
    },
    logger: { info: () => {}, error: () => {} },
  };
}
