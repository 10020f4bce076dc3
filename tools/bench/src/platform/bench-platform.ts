import { type Call, createMemoryKeyStore, createPlatform, type Platform, type Storage } from "@platform-rpc/server";
import type { Contract } from "@platform-rpc/server/host";
import { fixtureItem } from "./fixture.ts";

/** The caller in all benchmarks. */
export const caller = { tenantId: fixtureItem.tenantId, principalId: "principal-1", oauthClientId: "client-1" };

/** The call context in which a benchmark prepares its data. */
export const seedCall: Call = {
  actor: { ...caller, tokenId: "", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** The operations that the caller may call, by the contract that defines them, and the scopes of its token. */
export interface Served {
  readonly contract?: Contract;
  readonly operations: readonly string[];
  readonly scopes: readonly string[];
}

const deletions: Served = { operations: ["platform.v1.VaultService/DeleteItem"], scopes: ["vault.items:delete"] };

/** A platform, and an access token of the caller. */
export interface BenchPlatform {
  readonly platform: Platform;
  readonly token: string;
}

/** The issuer and audiences of the tokens. */
const names = {
  issuer: "https://bench.example",
  audience: "https://bench.example/api",
  brokerAudience: "https://bench.example/broker",
};

/** Creates a platform that performs all checks of a request. The rate limit counts requests, but is never reached. */
export async function createBenchPlatform(
  storage: Storage,
  keys = createMemoryKeyStore(),
  { contract, operations: allowedOperations, scopes }: Served = deletions,
): Promise<BenchPlatform> {
  const platform = await createPlatform({
    storage,
    keys,
    ...names,
    ...(contract && { contract }),
    rates: Object.fromEntries(allowedOperations.map((operation) => [operation, { perMinute: 1e9, burst: 1e9 }])),
  });
  const { tenantId, principalId, oauthClientId } = caller;
  const { operations } = platform;
  await operations.setPrincipal({ tenantId, principalId, active: true }, seedCall);
  await operations.setOauthClient(
    { tenantId, oauthClientId, name: "bench", allowedOperations, enabled: true },
    seedCall,
  );
  const issued = await operations.issueAccessToken({ ...caller, scopes, lifeSeconds: 3600 }, seedCall);
  return { platform, token: issued.accessToken };
}

/** Lets the caller approve a device that may delete items, with bounds. Returns the access token of the delegation. */
export async function delegateDeletions({ operations, tokenIssuer }: Platform): Promise<string> {
  const { scopes } = deletions;
  const started = await operations.startDeviceAuthorization({ ...caller, scopes, popPublicJwk: "" }, seedCall);
  if (!started.ok) throw new Error(started.reason);
  const { deviceCode, userCode } = started;
  const bounds = { actions: ["delete"], maxDeletions: 1e9 } as const;
  await operations.answerDeviceAuthorization({ ...caller, userCode }, { approve: scopes, bounds }, seedCall);
  const code = { deviceCode, idempotencyKey: undefined, proofKeyId: "" };
  const redeemed = await operations.redeemDeviceCode(code, seedCall);
  if (!redeemed.ok || redeemed.status !== "approved") throw new Error("The device got no token.");
  return tokenIssuer.signAccessToken(redeemed.grant);
}
