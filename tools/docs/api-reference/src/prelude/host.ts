import {
  type Call,
  createMemoryKeyStore,
  createPlatform,
  createSqliteStorage,
  type Platform,
} from "@platform-rpc/server";
import { publicOperations } from "@platform-rpc/server/fetch";

/** Creates the globals of server examples. The clock never advances. */
export async function createHostsPrelude() {
  const clock = { now: () => 1_700_000_000_000 };
  const storage = createSqliteStorage({ path: ":memory:" });
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    clock,
    rateLimiter: false,
    guesses: false,
    issuer: "https://id.example",
    audience: "https://api.example",
    brokerAudience: "https://broker.example",
  });
  const caller = { tenantId: "acme", principalId: "ada", oauthClientId: "agent-1" };
  const call = {
    actor: { ...caller, tokenId: "token-1", operation: "example", requestId: "request-1" },
    wanted: () => true,
  };
  const { DATABASE_URL: databaseUrl = "" } = process.env;
  const logger = { info: () => {}, error: () => {} };
  return {
    clock,
    storage,
    platform,
    call,
    logger,
    keyRing: platform.keyRing,
    brokerToken: await redeem(platform, call),
    databaseUrl,
  };
}

/** Approves a device authorization and exchanges its code. Returns the broker token. */
async function redeem({ own }: Platform, call: Call): Promise<string> {
  const { tenantId, principalId, oauthClientId } = call.actor;
  const [allowedOperation = ""] = publicOperations.keys();
  const scopes = publicOperations.get(allowedOperation)?.requiredScopes ?? [];
  await own.setPrincipal({ tenantId, principalId, active: true }, call);
  const client = { tenantId, oauthClientId, name: "Agent", allowedOperations: [allowedOperation], enabled: true };
  await own.setOauthClient(client, call);
  const started = await own.startDeviceAuthorization({ tenantId, oauthClientId, scopes, popPublicJwk: "" }, call);
  if (!started.ok) throw new Error(started.reason);
  const { userCode, deviceCode } = started;
  await own.answerDeviceAuthorization({ tenantId, principalId, userCode }, { approve: scopes }, call);
  const redeemed = await own.exchangeDeviceCode({ deviceCode, idempotencyKey: undefined }, call);
  return redeemed.ok && redeemed.status === "approved" ? redeemed.brokerToken : "";
}
