import type { Bounds } from "@platform-rpc/server/host";
import { ownCall } from "../http/own-call.js";
import type { AccountsSite } from "./accounts-site.js";

const tenantId = "acme";
const oauthClientId = "agent";

/** Lets a person approve an agent, which then has tokens. */
export async function approveAgent(site: AccountsSite, principalId: string, bounds?: Bounds) {
  const { own } = site;
  const { deviceCode, asAgent } = await approvedCode(site, principalId, bounds);
  const tokens = await own.redeemDeviceCode({ deviceCode, idempotencyKey: undefined, proofKeyId: "" }, asAgent);
  if (!tokens.ok || tokens.status !== "approved") throw new Error("the agent got no tokens");
  const refresh = () =>
    own.refreshTokens({ refreshToken: tokens.refreshToken, proofKeyId: "", scopes: undefined }, asAgent);
  const accessToken = await site.tokenIssuer.signAccessToken(tokens.grant);
  return { familyId: tokens.grant.grantId, accessToken, refresh };
}

/** Lets a person approve an agent, which exchanges the code with the public API: it gets no refresh token. */
export async function exchangeForAgent(site: AccountsSite, principalId: string) {
  const { deviceCode, asAgent } = await approvedCode(site, principalId);
  const call = { ...asAgent, actor: { ...asAgent.actor, principalId } };
  const tokens = await site.own.exchangeDeviceCode({ deviceCode, idempotencyKey: undefined }, call);
  if (!tokens.ok || tokens.status !== "approved") throw new Error("the agent got no tokens");
  return { grantId: tokens.grant.grantId, accessToken: tokens.accessToken, brokerToken: tokens.brokerToken };
}

/** Lets a person approve an agent. Returns the device code, and the context of the agent's calls. */
export async function approvedCode({ own, secrets }: AccountsSite, principalId: string, bounds?: Bounds) {
  const call = ownCall("test", secrets);
  const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
  await own.setOauthClient({ tenantId, oauthClientId, name: "<Agent>", allowedOperations, enabled: true }, call);
  const device = "203.0.113.7";
  const wanted = { tenantId, oauthClientId, scopes: ["vault.items:delete"], popPublicJwk: "", device };
  const started = await own.startDeviceAuthorization(wanted, call);
  if (!started.ok) throw new Error(started.reason);
  const { userCode, deviceCode } = started;
  const answer = { approve: ["vault.items:delete"], bounds };
  await own.answerDeviceAuthorization({ tenantId, principalId, userCode }, answer, call);
  return { deviceCode, asAgent: { ...call, actor: { ...call.actor, tenantId, oauthClientId } } };
}
