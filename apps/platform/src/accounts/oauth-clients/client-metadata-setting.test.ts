import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { documentedClientId } from "@platform-rpc/accounts/oauth-clients/client-documents";
import { expect, it } from "vitest";
import { deletion, startOAuthApp, tenantId } from "../oauth/testing/oauth-app.js";

// The host does not exist (RFC 2606), so no document can be fetched.
const url = "https://client.invalid/client.json";

it.each([
  ["off", undefined],
  ["on", true],
])(
  "CLIENT_ID_METADATA=%s: the metadata says so, and a URL without a document is rejected as a client",
  async (setting, supported) => {
    const app = await startOAuthApp({ CLIENT_ID_METADATA: setting });
    const metadata: unknown = await (await fetch(`${app.accounts}/.well-known/oauth-authorization-server`)).json();
    expect(Object(metadata)).toHaveProperty("issuer", app.accounts);
    expect(Object(metadata).client_id_metadata_document_supported).toBe(supported);
    const answer = await post(`${app.accounts}/oauth/device_authorization`, { client_id: url });
    expect([answer.status, answer.json.error]).toEqual([401, "invalid_client"]);
    await app.end();
  },
);

it("a registered client signs in and refreshes with its URL, also while its document cannot be fetched", async () => {
  const app = await startOAuthApp({ CLIENT_ID_METADATA: "on" });
  const oauthClientId = documentedClientId(url);
  const client = { tenantId, oauthClientId, name: "client.invalid: A", allowedOperations: [deletion], enabled: true };
  await app.admin("AccessAdminService/SetOauthClient", client);
  const { deviceCode, userCode } = await app.start({ client_id: url });
  await app.approve(userCode, ["vault.items:delete"]);
  const redemption = { grant_type: deviceGrant, client_id: url, device_code: deviceCode };
  const redeemed = await post(app.token, redemption);
  const refreshed = await app.refresh(textOf(redeemed, "refresh_token"), { client_id: url });
  expect(await app.callApi(textOf(refreshed, "access_token"))).toBe(404);
  await app.end();
});
