import { post } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { expect, it } from "vitest";
import { startOAuthApp } from "../oauth/testing/oauth-app.js";

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
