import {
  answerOf,
  deviceGrant,
  newKey,
  type Parameters,
  post,
  postWithKey,
  textOf,
} from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientId, type OAuthApp, startOAuthApp } from "./testing/oauth-app.js";

let app: OAuthApp;
beforeAll(async () => {
  app = await startOAuthApp({ RATE_LIMITS: "off" });
});
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
    ["no client_id", start, {}, "invalid_request"],
    ["no grant_type", token, client, "invalid_request"],
    ["no device_code", token, { grant_type: deviceGrant, ...client }, "invalid_request"],
    ["no refresh_token", token, { grant_type: "refresh_token", ...client }, "invalid_request"],
    ["no token", revoke, client, "invalid_request"],
    ["an empty parameter, which counts as omitted", token, { ...redeem, device_code: "" }, "invalid_request"],
    ["a parameter twice", token, { ...redeem, device_code: [code, code] }, "invalid_request"],
    ["an unknown parameter twice", token, { ...redeem, x: ["1", "2"] }, "invalid_request"],
    ["a parameter of 9 kB", token, { ...redeem, x: "x".repeat(9000) }, "invalid_request"],
    [
      "a body of 33 kB",
      token,
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`x${n}`, "x".repeat(8000)])),
      "invalid_request",
      413,
    ],
    ["a dpop_jkt that is not a thumbprint", start, { ...client, dpop_jkt: "x" }, "invalid_request"],
    ["an unknown client", start, { client_id: "nobody" }, "invalid_client", 401],
    ["a client_id that no client can have", start, { client_id: "../x y" }, "invalid_client", 401],
    ["an unknown client at the token endpoint", token, { ...redeem, client_id: "nobody" }, "invalid_client", 401],
    [
      "an unknown client at the revocation endpoint",
      revoke,
      { token: "x", client_id: "nobody" },
      "invalid_client",
      401,
    ],
    ["a client secret", token, { ...redeem, client_secret: "x" }, "invalid_client", 401],
    ["an unknown device code", token, redeem, "invalid_grant"],
    ["an unknown refresh token", token, refresh, "invalid_grant"],
    ["another grant type", token, { ...client, grant_type: "password" }, "unsupported_grant_type"],
    ["no code", token, { ...redeemCode, code: "" }, "invalid_request"],
    ["no code_verifier (RFC 7636 section 4.5)", token, { ...redeemCode, code_verifier: "" }, "invalid_request"],
    ["an unknown code", token, redeemCode, "invalid_grant"],
    ["a text that is not a code", token, { ...redeemCode, code: "x" }, "invalid_grant"],
    ["the implicit grant", token, { ...client, grant_type: "implicit" }, "unsupported_grant_type"],
    ["a pushed request without a redirect URI (RFC 9126 section 2.3)", push, client, "invalid_request"],
    [
      "a pushed request with an unregistered redirect URI",
      push,
      { ...client, redirect_uri: "https://app.example.com" },
      "invalid_request",
    ],
    ["a pushed request_uri (RFC 9126 section 2.1)", push, { ...client, request_uri: "urn:x" }, "invalid_request"],
    ["a member of every object as grant type", token, { ...client, grant_type: "toString" }, "unsupported_grant_type"],
    ["an unknown scope", start, { ...client, scope: "vault.items:delete other" }, "invalid_scope"],
    ["a malformed scope", start, { ...client, scope: 'a"b' }, "invalid_scope"],
    ["a malformed scope at the token endpoint", token, { ...refresh, scope: "a  b" }, "invalid_scope"],
    ["an unknown resource (RFC 8707)", token, { ...redeem, resource: "https://other.example" }, "invalid_target"],
    ["an unknown resource of a refresh", token, { ...refresh, resource: "https://other.example" }, "invalid_target"],
    ["an unknown resource of a new code", start, { ...client, resource: "https://other.example" }, "invalid_target"],
    [
      "an origin that begins like the API's",
      start,
      { ...client, resource: "https://platform.example/api.evil" },
      "invalid_target",
    ],
    [
      "two resources of a new code",
      start,
      { ...client, resource: ["https://a.example", "https://b.example"] },
      "invalid_target",
    ],
    [
      "malformed authorization_details (RFC 9396 section 5)",
      start,
      { ...client, authorization_details: "x" },
      "invalid_authorization_details",
    ],
    [
      "authorization_details of an unknown type",
      start,
      { ...client, authorization_details: '[{"type":"payment"}]' },
      "invalid_authorization_details",
    ],
    ["authorization_details twice", start, { ...client, authorization_details: ["[]", "[]"] }, "invalid_request"],
    ["authorization_details of a token (section 6)", token, { ...redeem, ...limits }, "invalid_authorization_details"],
    ["authorization_details of a refresh", token, { ...refresh, ...limits }, "invalid_authorization_details"],
    [
      "two resources (RFC 8707)",
      token,
      { ...redeem, resource: ["https://a.example", "https://b.example"] },
      "invalid_target",
    ],
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
  ])("an absent %s: the description says that it is required", async (name, path, form) => {
    const { json } = await post(app.accounts + path, form);
    expect(json).toMatchObject({ error_description: `The parameter ${name} is required.` });
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

  it.each(["application/json", "text/plain", "multipart/form-data; boundary=x"])(
    "a body of the type %s: invalid_request, with the header that is needed",
    async (type) => {
      const response = await fetch(app.token, { method: "POST", body: "{}", headers: { "Content-Type": type } });
      const answer = await answerOf(response);
      expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
      expect(textOf(answer, "error_description")).toBe(
        "The body must be application/x-www-form-urlencoded. Set this value in the Content-Type header.",
      );
    },
  );

  it("parameters in the URL: invalid_request", async () => {
    const { status, json } = await post(`${app.token}?client_id=${clientId}`, redeem);
    expect([status, json.error]).toEqual([400, "invalid_request"]);
  });

  it.each(["GET", "PUT", "DELETE"])("%s: 405", async (method) => {
    const { status, headers } = await answerOf(await fetch(app.token, { method }));
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("RFC 8628 section 3.5", () => {
  it("a code of another client: invalid_grant, as for an unknown one", async () => {
    const other = { tenantId: "acme", oauthClientId: "other", name: "O", allowedOperations: [], enabled: true };
    await app.admin("AccessAdminService/SetOauthClient", other);
    const { deviceCode } = await app.start();
    const foreign = await post(app.token, { ...redeem, device_code: deviceCode, client_id: "other" });
    const unknown = await post(app.token, redeem);
    expect([foreign.status, foreign.json]).toEqual([unknown.status, unknown.json]);
  });
});

describe("RFC 9449 sections 5 and 8: errors of a proof", () => {
  const key = newKey();
  const nonce = async () =>
    (await post(app.token, redeem, { DPoP: await key.prove(app.token) })).headers.get("dpop-nonce");

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

  it.each<[string, () => Promise<string>]>([
    ["text", async () => "x"],
    ["two proofs", async () => `${await key.prove(app.token)}, ${await key.prove(app.token)}`],
    ["a proof for another method", async () => key.prove(app.token, { htm: "GET", nonce: await nonce() })],
    ["a proof for another URL", async () => key.prove(`${app.accounts}/oauth/revoke`, { nonce: await nonce() })],
    ["a proof without jti", async () => key.prove(app.token, { jti: undefined, nonce: await nonce() })],
  ])("%s: invalid_dpop_proof", async (_, prove) => {
    const { status, json } = await post(app.token, redeem, { DPoP: await prove() });
    expect([status, json.error]).toEqual([400, "invalid_dpop_proof"]);
  });

  it("a proof that was used before: invalid_dpop_proof", async () => {
    const DPoP = await key.prove(app.token, { nonce: await nonce() });
    expect((await post(app.token, redeem, { DPoP })).json.error).toBe("invalid_grant");
    expect((await post(app.token, redeem, { DPoP })).json.error).toBe("invalid_dpop_proof");
  });

  it("dpop_jkt of another key than that of the proof: invalid_dpop_proof", async () => {
    const form = { ...client, dpop_jkt: "A".repeat(43) };
    expect((await postWithKey(app.accounts + start, form, key)).json.error).toBe("invalid_dpop_proof");
  });

  it("a refresh token needs a proof of the key that it is bound to (RFC 9449 section 5)", async () => {
    const refreshToken = textOf(await app.signIn(key), "refresh_token");
    expect((await app.refresh(refreshToken)).json).toEqual({
      error: "invalid_dpop_proof",
      error_description: expect.stringMatching(/^A DPoP proof is required, /),
    });
    expect((await app.refresh(refreshToken, {}, newKey())).json.error).toBe("invalid_grant");
    expect((await app.refresh(refreshToken, {}, key)).status).toBe(200);
  });
});

describe("limits", () => {
  it("too many requests of a network: 429 with Retry-After, even if each has another IPv6 address", async () => {
    const limited = await startOAuthApp({ ACCOUNTS_ADDRESS_HEADER: "X-Real-IP" });
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, host) =>
        post(`${limited.accounts}/oauth/revoke`, { token: "x", ...client }, { "X-Real-IP": `2001:db8::${host}` }),
      ),
    );
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThan(5);
    const [answer] = rejected;
    expect([answer?.json.error, answer?.headers.get("retry-after")]).toEqual(["temporarily_unavailable", "1"]);
    await limited.end();
  });

  it.each(["/.well-known/oauth-authorization-server", "/oauth/jwks"])(
    "pages of any origin read %s, with any header",
    async (path) => {
      const asked = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "mcp-protocol-version",
      };
      const headers = { Origin: "https://app.example" };
      const preflight = await fetch(app.accounts + path, { method: "OPTIONS", headers: { ...headers, ...asked } });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("mcp-protocol-version");
      const read = await fetch(app.accounts + path, { headers });
      expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(read.headers.get("access-control-allow-credentials")).toBeNull();
    },
  );

  it("endpoints of OAuth need no Origin, and answer pages of any origin", async () => {
    const preflight = await fetch(app.token, {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "dpop",
      },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("DPoP");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
