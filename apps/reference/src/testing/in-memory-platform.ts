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

/** A platform without sockets or files, whose time passes when a test says so. It is the test's to close. */
export async function inMemoryPlatform() {
  let time = Date.now();
  const clock = { now: () => time };
  const storage = createSqliteStorage({ path: ":memory:" });
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const names = { issuer: "https://i.example", audience: "https://a.example", brokerAudience: "https://b.example" };
  const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
  const verifier = createTokenVerifier({ keyRing, clock, ...names });
  const authenticator = createAuthenticator({ verifier, storage, clock });
  const platform = createPlatform({
    storage,
    clock,
    secrets,
    issuer: createTokenIssuer({ keyRing, ...names }),
    authenticator,
    proofKeys: createProofKeys(),
    rateLimiter: undefined,
    guesses: undefined,
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { ...platform, authenticator, secrets, clock, pass, verifier, keyRing, close: () => storage.close() };
}
