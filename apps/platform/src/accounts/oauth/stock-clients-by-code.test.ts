import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { post } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { signInWithBrowser } from "../../../examples/oauth-browser.js";
import { call } from "../../testing/call.js";
import { startTestApp, type TestApp } from "../../testing/start-test-app.js";
import { deleteScope, deletion, exchangeScope, publicScopes, tenantId } from "./testing/oauth-app.js";
import { type ClientSetup, type Library, libraries } from "./testing/stock-clients.js";

const readScope = "vault.items:read";
const redirectUri = "http://127.0.0.1/callback";
const grantTypes = ["authorization_code", "refresh_token"];
const documentUrl = "https://client.example/client.json";
const document = {
  client_id: documentUrl,
  client_name: "Agent",
  redirect_uris: [redirectUri],
  grant_types: grantTypes,
  token_endpoint_auth_method: "none",
};

let app: TestApp;
let accounts: string;
let passed = 0;
beforeAll(async () => {
  app = await startTestApp(
    { ACCOUNTS_TENANT: tenantId, RATE_LIMITS: "off", CLIENT_ID_METADATA: "on" },
    {
      clocks: { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed },
      fetchDocument: async () => ({ text: JSON.stringify(document), cacheControl: "" }),
    },
  );
  accounts = app.accountsUrl ?? "";
  await app.admin("AccessAdminService/SetOauthClient", {
    tenantId,
    oauthClientId: "agent",
    name: "Agent",
    allowedOperations: [
      deletion,
      "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
      "platform.accounts.v1.MemberVaultService/GetItem",
    ],
    redirectUris: [redirectUri],
    grantTypes,
    enabled: true,
  });
});
afterAll(() => app.end());

/** A new person, and a client that they have not approved yet. */
async function startClient(library: Library, clientId: string, changes: Partial<ClientSetup> = {}) {
  const { browser } = await signUpPerson({ openBrowser: () => openSiteBrowser(accounts) });
  const offered: string[][] = [];
  const opened: URL[] = [];
  const client = await library.start({
    accounts,
    api: app.publicUrl,
    clientId,
    // Programs on a computer listen on any free port (RFC 8252 section 7.3).
    redirectUri: "http://127.0.0.1:49152/callback",
    async open(url) {
      opened.push(url);
      const answered = await approveRequest(browser, url);
      offered.push([...answered.offered]);
      return answered.redirectedTo;
    },
    pushed: false,
    bound: false,
    ...changes,
  });
  return { browser, client, offered, opened };
}

/** Calls an operation that the scope to read does not allow. A valid token with the scope to delete gets 404. */
async function callApi(accessToken: string) {
  const body = { vaultId: "v", itemId: "i", baseVersion: 1 };
  const { status, headers } = await call(app.publicUrl, deletion, body, accessToken);
  return { status, headers };
}

const approvals = z.object({ delegations: z.array(z.object({ id: z.string() })) });

/** Each library, with a client that has a metadata document and with one that is registered. */
const clients = libraries.flatMap((library) => [
  { library, name: `${library.name} with a metadata document`, clientId: documentUrl },
  { library, name: `${library.name} as a registered client`, clientId: "agent" },
]);
const pushing = clients.filter(({ library }) => library.pushes);
const bound = [
  ...clients.filter(({ library }) => library.binds).map((client) => ({ ...client, pushed: false })),
  ...pushing.map((client) => ({ ...client, name: `${client.name}, which pushes its requests,`, pushed: true })),
];

describe("the authorization code grant with stock clients", () => {
  it.each(clients)("$name signs in with PKCE, and renews its tokens", async ({ library, clientId }) => {
    const { client, offered } = await startClient(library, clientId);
    await client.authorize(deleteScope);
    const first = client.tokens();
    expect(offered).toEqual([[deleteScope]]);
    expect(first.token_type.toLowerCase()).toBe("bearer");
    expect((await callApi(first.access_token)).status).toBe(404);
    await client.renew();
    await client.renew();
    expect(client.tokens().access_token).not.toBe(first.access_token);
    expect((await callApi(client.tokens().access_token)).status).toBe(404);
  });

  it.each(clients)("$name gets only what the person was shown if it names no scope", async ({ library, clientId }) => {
    const { client, offered } = await startClient(library, clientId);
    await client.authorize();
    // The registered client may call fewer operations than one that has a document.
    const allowed = clientId === documentUrl ? publicScopes : [exchangeScope, deleteScope, readScope];
    const shown = library.asksForAll ? publicScopes.filter((scope) => allowed.includes(scope)) : [readScope];
    // The page lists them in the order in which people read them.
    expect(offered.map((scopes) => scopes.toSorted())).toEqual([shown]);
    const { scope = "", access_token } = client.tokens();
    expect(scope.split(" ").filter((each) => each !== "offline_access")).toEqual(shown);
    expect((await callApi(access_token)).status).toBe(library.asksForAll ? 404 : 403);
  });

  it.each(pushing)("$name pushes its request (RFC 9126)", async ({ library, clientId }) => {
    const { client, opened } = await startClient(library, clientId, { pushed: true });
    await client.authorize(deleteScope);
    expect(opened.map((url) => [...url.searchParams.keys()].sort())).toEqual([["client_id", "request_uri"]]);
    expect((await callApi(client.tokens().access_token)).status).toBe(404);
  });

  it.each(bound)("$name binds its refresh tokens to a key (RFC 9449)", async ({ library, clientId, pushed }) => {
    const { client } = await startClient(library, clientId, { pushed, bound: true });
    await client.authorize(deleteScope);
    await client.renew();
    expect((await callApi(client.tokens().access_token)).status).toBe(404);
    const refresh_token = client.tokens().refresh_token ?? "";
    const stolen = { grant_type: "refresh_token", client_id: clientId, refresh_token };
    const { status, json } = await post(`${accounts}/oauth/token`, stolen);
    expect([status, json.error]).toEqual([400, "invalid_dpop_proof"]);
    await client.renew();
  });

  it.each(clients)(
    "$name steps up after a 403: the person sees only what is new, and it keeps what it had",
    async ({ library, clientId }) => {
      const { client, offered } = await startClient(library, clientId);
      await client.authorize(readScope);
      const before = client.tokens();
      const rejected = await callApi(before.access_token);
      const { error, scope = "" } = extractWWWAuthenticateParams(new Response(null, rejected));
      expect([rejected.status, error, scope]).toEqual([403, "insufficient_scope", deleteScope]);
      await client.stepUp(scope);
      expect(offered).toEqual([[readScope], [deleteScope]]);
      expect((await callApi(client.tokens().access_token)).status).toBe(404);
      // What was approved before is still valid, too.
      expect((await callApi(before.access_token)).status).toBe(403);
      await client.renew();
      expect((await callApi(client.tokens().access_token)).status).toBe(404);
    },
  );

  it.each(clients)(
    "within a second, the API rejects the tokens of $name after the person has ended its access",
    async ({ library, clientId }) => {
      const { browser, client } = await startClient(library, clientId);
      await client.authorize(deleteScope);
      const { access_token } = client.tokens();
      expect((await callApi(access_token)).status).toBe(404);
      const [listed] = approvals.parse((await browser.send("/account/api/delegations")).body).delegations;
      expect((await browser.send("/account/api/delegations/end", { json: listed })).status).toBe(200);
      passed += 1000;
      expect((await callApi(access_token)).status).toBe(401);
    },
  );

  it.each(clients.filter(({ library }) => library.revokes))(
    "within a second, the API rejects the tokens that $name has revoked (RFC 7009)",
    async ({ library, clientId }) => {
      const { client } = await startClient(library, clientId);
      await client.authorize(deleteScope);
      const { access_token } = client.tokens();
      expect((await callApi(access_token)).status).toBe(404);
      await client.revoke();
      passed += 1000;
      expect((await callApi(access_token)).status).toBe(401);
      await expect(client.renew()).rejects.toMatchObject({ error: "invalid_grant" });
    },
  );
});

it("the example of docs/oauth.md signs in, renews its tokens, and signs out", async () => {
  const { browser } = await signUpPerson({ openBrowser: () => openSiteBrowser(accounts) });
  const session = await signInWithBrowser(
    { issuer: new URL(accounts), clientId: "agent", redirectUri, resource: app.publicUrl },
    async (url) => (await approveRequest(browser, url)).redirectedTo,
  );
  const first = session.accessToken();
  expect((await callApi(first)).status).toBe(404);
  await session.renew();
  expect(session.accessToken()).not.toBe(first);
  await session.signOut();
  await expect(session.renew()).rejects.toMatchObject({ error: "invalid_grant" });
});
