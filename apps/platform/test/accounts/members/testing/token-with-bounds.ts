import { z } from "zod";
import { call } from "../../../../src/testing/call.js";
import { type MemberApp, scopes, tenantId } from "./start-member-app.js";

const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

/** Lets a person approve the command line with bounds, by the private operation. Returns its access token. */
export async function tokenWithBounds(
  app: Pick<MemberApp, "admin" | "token" | "publicUrl">,
  principalId: string,
  bounds: object,
  approved = scopes,
): Promise<string> {
  const asked = [...approved, "identity.device_authorizations:exchange"];
  const started = await app.admin("DeviceAuthorizationService/StartDeviceAuthorization", {
    tenantId,
    oauthClientId: "platform-cli",
    scopes: asked,
  });
  const { userCode, deviceCode } = z.object({ userCode: z.string(), deviceCode: z.string() }).parse(started);
  const approval = { tenantId, principalId, userCode, scopes: approved, bounds };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
  const caller = await app.token({ principalId, scopes: asked });
  const { json, text } = await call(app.publicUrl, exchange, { deviceCode }, caller);
  return z.object({ accessToken: z.string() }).parse(json, { error: () => text }).accessToken;
}
