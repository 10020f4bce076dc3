import type { Bounds } from "../../src/domain/model/bounds.js";
import type { Platform } from "../../src/platform.js";
import type { RefreshableGrant } from "../../src/services/refresh-family.js";
import { deleteScope, seeder } from "./start-platform.js";

const agent = { tenantId: "t-1", oauthClientId: "c-1" };

interface Delegated extends RefreshableGrant {
  readonly accessToken: string;
  readonly brokerToken: string;
}

/** Lets p-owner approve a device with bounds. Returns the tokens of the device. */
export async function delegate(
  { operations, tokenIssuer }: Platform,
  bounds: Bounds,
  requested?: Bounds,
): Promise<Delegated> {
  const request = { ...agent, scopes: [deleteScope], popPublicJwk: "", bounds: requested };
  const started = await operations.startDeviceAuthorization(request, seeder);
  if (!started.ok) throw new Error(started.reason);
  const approver = { tenantId: "t-1", principalId: "p-owner", userCode: started.userCode };
  await operations.answerDeviceAuthorization(approver, { approve: [deleteScope], bounds }, seeder);
  const { deviceCode } = started;
  const redeemed = await operations.redeemDeviceCode(
    { deviceCode, idempotencyKey: undefined, proofKeyId: "" },
    byAgent,
  );
  if (!redeemed.ok || redeemed.status !== "approved") throw new Error(JSON.stringify(redeemed));
  const { grant } = redeemed;
  const accessToken = await tokenIssuer.signAccessToken(grant);
  return { ...redeemed, accessToken, brokerToken: await tokenIssuer.signBrokerToken(grant) };
}

/** The call of an OAuth client that has no token. */
export const byAgent = { ...seeder, actor: { ...seeder.actor, ...agent } };

/** The call of the person who approves. */
export const byOwner = { ...seeder, actor: { ...seeder.actor, principalId: "p-owner" } };
