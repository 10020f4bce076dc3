import { z } from "zod";
import { call } from "../../../../src/testing/call.js";
import { type MemberApp, tenantId } from "./start-member-app.js";

const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
const uses = ["UseItem", "ReportItemUse"].map((name) => `platform.accounts.v1.ItemUseService/${name}`);

/** Lets a person approve an agent that may use secrets. Without bounds, its approval has no delegation. */
export async function approvedAgent(
  app: Pick<MemberApp, "admin" | "token" | "publicUrl">,
  principalId: string,
  bounds: object | undefined,
  scopes = ["vault.items:use"],
) {
  const asked = [...scopes, "identity.device_authorizations:exchange"];
  const client = { tenantId, oauthClientId: "agent", name: "Agent", enabled: true };
  await app.admin("AccessAdminService/SetOauthClient", { ...client, allowedOperations: [exchange, ...uses] });
  const started = await app.admin("DeviceAuthorizationService/StartDeviceAuthorization", {
    ...{ tenantId, oauthClientId: "agent", scopes: asked },
  });
  const { userCode, deviceCode } = z.object({ userCode: z.string(), deviceCode: z.string() }).parse(started);
  const caller = await app.token({ principalId, oauthClientId: "agent", scopes: asked });
  const approval = { tenantId, principalId, userCode, scopes, bounds };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
  const { json, text } = await call(app.publicUrl, exchange, { deviceCode }, caller);
  const exchanged = z.object({ accessToken: z.string(), brokerToken: z.object({ tokenId: z.string() }) });
  const { accessToken, brokerToken } = exchanged.parse(json, { error: () => text });
  return { accessToken, tokenId: brokerToken.tokenId };
}
