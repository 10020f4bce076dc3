import { expect, it } from "vitest";
import * as z from "zod";
import { documentedClientId } from "../../src/oauth-clients/client-documents.js";
import { readScope, startCodeSite } from "../authorize/testing/code-site.js";

const url = "https://app.example/client.json";
const document = {
  client_id: url,
  client_name: "Agent",
  redirect_uris: ["http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** The site, with a client that has a document. */
function setUp(fields: object = {}) {
  const fetchDocument = async () => ({ text: JSON.stringify({ ...document, ...fields }), cacheControl: "" });
  return startCodeSite({ clientIdMetadata: true, fetchDocument });
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

it("a new document is stored only when a person approves it, because anybody can write one and push a request", async () => {
  const { site, authorize, approve, push, decide, authorizePath } = await setUp();
  const request = { client_id: url, redirect_uri: "http://127.0.0.1/callback", scope: undefined };
  const client = () => site.own.getOauthClient({ tenantId: "acme", oauthClientId: documentedClientId(url) });
  expect((await authorize(request, site.openBrowser())).location).toMatch(/^\/sign-in\?/);
  expect(await client()).toBeUndefined();
  expect((await authorize(request)).body).toContain("described by <code>app.example</code>");
  await push(request);
  await decide(authorizePath(request), { decision: "deny" });
  expect(await client()).toBeUndefined();
  await approve(request);
  expect(await client()).toMatchObject({ enabled: true });
});

it("an authorization request with the id of a documented client as client_id is rejected, because the document would not be read, and its host not be shown", async () => {
  const { authorize } = await setUp();
  const redirect_uri = "http://127.0.0.1/callback";
  expect((await authorize({ client_id: url, redirect_uri })).body).toContain("described by <code>app.example</code>");
  expect((await authorize({ client_id: documentedClientId(url), redirect_uri })).status).toBe(400);
});

it("the person reads what was left out of the document, and the browser is not sent to a redirect URI of it", async () => {
  const { authorize } = await setUp({ redirect_uris: ["http://127.0.0.1/callback", "javascript:leak()"] });
  const rule = "redirect_uris[1] must be a loopback http URI";
  const { body } = await authorize({ client_id: url, redirect_uri: "http://127.0.0.1/callback" });
  expect(body).toContain(rule);
  expect(body).not.toContain("leak");
  const rejected = await authorize({ client_id: url, redirect_uri: "javascript:leak()" });
  expect([rejected.status, rejected.location, String(rejected.body).includes(rule)]).toEqual([400, undefined, true]);
});

it("a document at an address with a query shows all of the address, because a host may answer what the query says", async () => {
  const client_id = "https://app.example/echo?json=1";
  const { authorize } = await setUp({ client_id });
  const { body } = await authorize({ client_id, redirect_uri: "http://127.0.0.1/callback" });
  expect(body).toContain("described by <code>app.example/echo?json=1</code>");
});

const day = 24 * 60 * 60_000;

/** A device whose client has a document. */
async function startDevice() {
  const started = await setUp({ grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "authorization_code"] });
  const { site, software, accountId: principalId, call } = started;
  const ask = () => software.send("/oauth/device_authorization", { form: { client_id: url } });
  const decide = async (answer: "deny" | { readonly approve: readonly string[] }) => {
    const { user_code: userCode } = z.looseObject({ user_code: z.string() }).parse((await ask()).body);
    return site.own.answerDeviceAuthorization({ tenantId: "acme", principalId, userCode }, answer, call);
  };
  /** Returns whether the client is stored once the clock has advanced, and what has expired was removed. */
  const isStoredAfter = async (ms: number) => {
    site.pass(ms);
    await site.storage.purge(site.clock.now() - day, 1000);
    const client = await site.own.getOauthClient({ tenantId: "acme", oauthClientId: documentedClientId(url) });
    return client !== undefined;
  };
  return { ...started, ask, decide, isStoredAfter };
}

it("the client of a device is removed a day after its last code if nobody approved one, and stays otherwise", async () => {
  const { decide, isStoredAfter } = await startDevice();
  await decide("deny");
  expect(await isStoredAfter(day)).toBe(true);
  await decide("deny");
  expect([await isStoredAfter(day), await isStoredAfter(day)]).toEqual([true, false]);
  await decide({ approve: [readScope] });
  expect(await isStoredAfter(100 * day)).toBe(true);
});

it("the new client of a device is refused while too many wait, and once a person has approved it is not", async () => {
  const { site, ask, call, approve } = await startDevice();
  const waiting = { ...call, actor: { ...call.actor, principalId: "client-metadata-document" } };
  const registration = { tenantId: "acme", name: "x", allowedOperations: [], redirectUris: [], grantTypes: [] };
  const others = { ...registration, requirePushedAuthorizationRequests: false, approved: false };
  const register = (oauthClientId: string) => site.own.registerOauthClient({ ...others, oauthClientId }, waiting);
  for (let index = 1; index <= 200; index += 1) expect(await register(`cimd-${index}`)).toBe(true);
  const error_description = expect.stringContaining("Sign in with an authorization code");
  const { status, body } = await ask();
  expect([status, body]).toEqual([429, { error: "temporarily_unavailable", error_description }]);
  expect(await register("cimd-1")).toBe(true);
  await approve({ client_id: url, redirect_uri: "http://127.0.0.1/callback", scope: undefined });
  expect((await ask()).status).toBe(200);
});
