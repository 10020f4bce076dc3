import { discoverAuthorizationServerMetadata as discoverV2 } from "@modelcontextprotocol/client";
import { discoverAuthorizationServerMetadata as discoverV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  answerOf,
  deviceGrant,
  newKey,
  type Parameters,
  post,
  textOf,
} from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { afterAll, describe, expect, it } from "vitest";
import { clientId, startOAuthApp } from "./testing/oauth-app.js";

const app = await startOAuthApp({ RATE_LIMITS: "off" });
afterAll(() => app.end());

const start = "/oauth/device_authorization";
const token = "/oauth/token";
const push = "/oauth/par";
const revoke = "/oauth/revoke";
const client = { client_id: clientId };
const code = `pdc_${"A".repeat(43)}`;
const redeem = { grant_type: deviceGrant, ...client, device_code: code };
const redeemCode = {
  grant_type: "authorization_code",
  ...client,
  code: `pac_0.${"A".repeat(43)}`,
  code_verifier: "A".repeat(43),
};
const refresh = { grant_type: "refresh_token", ...client, refresh_token: "prt_x.1.y" };
const limits = { authorization_details: '[{"type":"vault"}]' };

describe("RFC 6749 section 5.2: errors of a request", () => {
  it.each<[string, string, Parameters, string, number?]>([
    ["an empty parameter, which counts as omitted", token, { ...redeem, device_code: "" }, "invalid_request"],
    ["a parameter twice", token, { ...redeem, device_code: [code, code] }, "invalid_request"],
    ["a parameter of 9 kB", token, { ...redeem, x: "x".repeat(9000) }, "invalid_request"],
    ["an unknown client", start, { client_id: "nobody" }, "invalid_client", 401],
    ["a client_id that no client can have", start, { client_id: "../x y" }, "invalid_client", 401],
    ["an unknown client at the token endpoint", token, { ...redeem, client_id: "nobody" }, "invalid_client", 401],
    ["a client secret", token, { ...redeem, client_secret: "x" }, "invalid_client", 401],
    ["a text that is not a code", token, { ...redeemCode, code: "x" }, "invalid_grant"],
    ["a text that is not a refresh token", token, refresh, "invalid_grant"],
    ["another grant type", token, { ...client, grant_type: "password" }, "unsupported_grant_type"],
    ["a member of every object as grant type", token, { ...client, grant_type: "toString" }, "unsupported_grant_type"],
    [
      "a pushed request with an unregistered redirect URI",
      push,
      { ...client, redirect_uri: "https://app.example.com" },
      "invalid_request",
    ],
    ["a pushed request_uri (RFC 9126 section 2.1)", push, { ...client, request_uri: "urn:x" }, "invalid_request"],
    ["an unknown resource (RFC 8707)", token, { ...redeem, resource: "https://other.example" }, "invalid_target"],
    [
      "a resource of a new code that begins like the API's",
      start,
      { ...client, resource: "https://platform.example/api.evil" },
      "invalid_target",
    ],
    ["two resources", token, { ...redeem, resource: ["https://a.example", "https://b.example"] }, "invalid_target"],
    [
      "malformed authorization_details (RFC 9396 section 5)",
      start,
      { ...client, authorization_details: "x" },
      "invalid_authorization_details",
    ],
    ["authorization_details of a token (section 6)", token, { ...redeem, ...limits }, "invalid_authorization_details"],
  ])("%s: %s", async (_, path, form, error, status = 400) => {
    const { json, headers, status: answered } = await post(app.accounts + path, form);
    expect(json).toEqual({ error, error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/) });
    expect(answered).toBe(status);
    expect([headers.get("cache-control"), headers.get("pragma"), headers.get("content-type")]).toEqual([
      "no-store",
      "no-cache",
      "application/json",
    ]);
  });

  it.each<[string, string, Parameters]>([
    ["client_id", start, {}],
    ["grant_type", token, client],
    ["device_code", token, { grant_type: deviceGrant, ...client }],
    ["code_verifier", token, { ...redeemCode, code_verifier: "" }],
    ["token", revoke, client],
    ["redirect_uri", push, client],
  ])("an absent %s: invalid_request, and the description says that it is required", async (name, path, form) => {
    const { json } = await post(app.accounts + path, form);
    expect(json).toEqual({ error: "invalid_request", error_description: `The parameter ${name} is required.` });
  });

  it("the console, which gets its tokens from the session of the browser: unauthorized_client", async () => {
    const form = { client_id: "platform-console" };
    expect((await post(app.accounts + start, form)).json).toMatchObject({ error: "unauthorized_client" });
  });

  it("a client without operations: unauthorized_client", async () => {
    await app.setClient(true, []);
    expect((await post(app.accounts + start, client)).json).toMatchObject({ error: "unauthorized_client" });
    await app.setClient(true);
  });

  it("a client that authenticates with a header: invalid_client, with a challenge", async () => {
    const { status, json, headers } = await post(app.token, redeem, { Authorization: "Basic YTpi" });
    expect([status, json.error, headers.get("www-authenticate")]).toEqual([401, "invalid_client", "Basic"]);
  });

  it("a body of another type: invalid_request, with the header that is needed", async () => {
    const headers = { "Content-Type": "application/json" };
    const answer = await answerOf(await fetch(app.token, { method: "POST", body: "{}", headers }));
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(textOf(answer, "error_description")).toBe(
      "The body must be application/x-www-form-urlencoded. Set this value in the Content-Type header.",
    );
  });

  it("parameters in the URL: invalid_request", async () => {
    const { status, json } = await post(`${app.token}?client_id=${clientId}`, redeem);
    expect([status, json.error]).toEqual([400, "invalid_request"]);
  });

  it("another method: 405", async () => {
    const { status, headers } = await answerOf(await fetch(app.token, { method: "PUT" }));
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("RFC 9449 sections 5 and 8: errors of a proof", () => {
  const key = newKey();

  it("a proof without a nonce: use_dpop_nonce, with one", async () => {
    const answer = await post(app.token, redeem, { DPoP: await key.prove(app.token) });
    expect([answer.status, answer.json.error, answer.headers.get("dpop-nonce")]).toEqual([
      400,
      "use_dpop_nonce",
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    expect(answer.headers.get("access-control-expose-headers")).toContain("DPoP-Nonce");
  });

  it("a nonce of another server: use_dpop_nonce", async () => {
    const DPoP = await key.prove(app.token, { nonce: "x".repeat(43) });
    expect((await post(app.token, redeem, { DPoP })).json.error).toBe("use_dpop_nonce");
  });

  it("a proof for another URL: invalid_dpop_proof", async () => {
    const asking = await post(app.token, redeem, { DPoP: await key.prove(app.token) });
    const nonce = asking.headers.get("dpop-nonce");
    const DPoP = await key.prove(`${app.accounts}/oauth/revoke`, { nonce });
    const { status, json } = await post(app.token, redeem, { DPoP });
    expect([status, json.error]).toEqual([400, "invalid_dpop_proof"]);
  });
});

describe.each([
  [1, discoverV1],
  [2, discoverV2],
])("version %i of the MCP SDK", (_, discover) => {
  const withoutOAuth = async (url: string | URL, init?: RequestInit) =>
    String(url).includes("oauth-authorization-server") ? new Response(null, { status: 404 }) : fetch(url, init);

  it.each(["", "/"])("reads the metadata of OpenID Connect, of the issuer followed by %j", async (slash) => {
    const metadata = await discover(app.accounts + slash, { fetchFn: withoutOAuth });
    expect(metadata).toMatchObject({ issuer: app.accounts, subject_types_supported: ["public"] });
  });

  it("finds no metadata of an issuer with a path: the issuer has none (RFC 8414 sections 3.1 and 3.3)", async () => {
    expect(await discover(`${app.accounts}/mcp`)).toBeUndefined();
  });
});
