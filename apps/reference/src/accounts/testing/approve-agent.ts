import { ownCall } from "../../own-call.js";
import type { AccountsSite } from "./accounts-site.js";

const tenantId = "acme";
const oauthClientId = "agent";

/** Lets a person approve an agent, which then has tokens. */
export async function approveAgent({ own, secrets }: AccountsSite, principalId: string) {
  const call = ownCall("test", secrets);
  const asAgent = { ...call, actor: { ...call.actor, tenantId, oauthClientId } };
  const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
  await own.setOauthClient({ tenantId, oauthClientId, name: "<Agent>", allowedOperations, enabled: true }, call);
  const wanted = { tenantId, oauthClientId, scopes: ["vault.items:delete"], popPublicJwk: "" };
  const started = await own.startDeviceAuthorization(wanted, call);
  if (!started.ok) throw new Error(started.reason);
  const { userCode, deviceCode } = started;
  await own.answerDeviceAuthorization({ tenantId, principalId, userCode }, { approve: ["vault.items:delete"] }, call);
  const tokens = await own.redeemDeviceCode({ deviceCode, idempotencyKey: undefined, proofKeyId: "" }, asAgent);
  if (!tokens.ok || tokens.status !== "approved") throw new Error("the agent got no tokens");
  const refresh = () =>
    own.refreshTokens({ refreshToken: tokens.refreshToken, proofKeyId: "", scopes: undefined }, asAgent);
  return { familyId: tokens.grant.grantId, accessToken: tokens.accessToken, refresh };
}
