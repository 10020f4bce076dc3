import { expect, it } from "vitest";
import { answerIn, readScope, startCodeSite } from "../authorize/testing/code-site.js";
import { documentedClientId } from "./client-documents.js";

const url = "https://app.example/client.json";
const document = {
  client_id: url,
  client_name: "Agent",
  redirect_uris: ["http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** The site, with a client whose document can be changed. */
async function setUp() {
  let text = JSON.stringify(document);
  const fetchDocument = async () => ({ text, cacheControl: "" });
  const codeSite = await startCodeSite({ clientIdMetadata: true, fetchDocument });
  return {
    ...codeSite,
    change: (fields: Partial<typeof document> & { readonly require_pushed_authorization_requests?: boolean }) => {
      text = JSON.stringify({ ...document, ...fields });
      codeSite.site.pass(60_000);
    },
  };
}

it("a client without an administrator signs in by its document, and without scopes may only read", async () => {
  const { approve, redeem } = await setUp();
  const redirect = { client_id: url, redirect_uri: "http://127.0.0.1:49152/callback" };
  const code = await approve({ ...redirect, scope: undefined });
  const { status, body } = await redeem(code, redirect);
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ scope: `${readScope} offline_access`, refresh_token: expect.any(String) }),
  ]);
});

it("a new document is stored for nobody who is not signed in, because anybody can write one", async () => {
  const { site, authorize } = await setUp();
  const request = { client_id: url, redirect_uri: "http://127.0.0.1/callback", scope: undefined };
  const client = () => site.own.getOauthClient({ tenantId: "acme", oauthClientId: documentedClientId(url) });
  expect((await authorize(request, site.openBrowser())).location).toMatch(/^\/sign-in\?/);
  expect(await client()).toBeUndefined();
  expect((await authorize(request)).body).toContain("described by <code>app.example</code>");
  expect(await client()).toMatchObject({ enabled: true });
});

it("an authorization request with the id of a documented client as client_id is rejected, because the document would not be read, and its host not be shown", async () => {
  const { authorize } = await setUp();
  const redirect_uri = "http://127.0.0.1/callback";
  expect((await authorize({ client_id: url, redirect_uri })).body).toContain("described by <code>app.example</code>");
  expect((await authorize({ client_id: documentedClientId(url), redirect_uri })).status).toBe(400);
});

it("a changed document changes where the browser may be sent back to, and whether requests are pushed", async () => {
  const { authorize, change } = await setUp();
  const [before, after] = ["http://127.0.0.1/callback", "https://app.example/callback"].map((redirect_uri) => ({
    client_id: url,
    redirect_uri,
  }));
  const status = async (redirect: typeof before) => (await authorize(redirect)).status;
  expect([await status(before), await status(after)]).toEqual([200, 400]);
  change({ redirect_uris: ["https://app.example/callback"] });
  expect([await status(before), await status(after)]).toEqual([400, 200]);
  change({ require_pushed_authorization_requests: true });
  const { location } = await authorize(before);
  expect(answerIn(location).error).toBe("invalid_request");
});
