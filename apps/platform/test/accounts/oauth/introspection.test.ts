import { generateKeyPairSync, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBrokers } from "@platform-rpc/accounts/oauth/brokers-file";
import { newKey, type Parameters, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { newTemporaryFolder, temporaryFolder } from "../../../src/testing/temporary-folder.js";
import { clientId, sharedTimeMs, startOAuthApp } from "./testing/oauth-app.js";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const other = generateKeyPairSync("ed25519");
const brokers = { "broker-1": { keys: [publicKey.export({ format: "jwk" })] } };
const brokerAudience = "https://platform.example/broker";
const minute = 60;

const folder = await newTemporaryFolder();
const BROKERS_FILE = join(folder.path, "brokers.json");
await writeFile(BROKERS_FILE, JSON.stringify(brokers));
const app = await startOAuthApp({ RATE_LIMITS: "off", BROKERS_FILE });
let now = Math.floor(Date.now() / 1000);
afterAll(async () => {
  await app.end();
  await folder.remove();
});

const assert = (changes: Readonly<Record<string, unknown>> = {}, key = privateKey, alg = "Ed25519") =>
  new SignJWT({ iss: "broker-1", sub: "broker-1", aud: app.accounts, exp: now + minute, jti: randomUUID(), ...changes })
    .setProtectedHeader({ alg })
    .sign(key);
const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const introspect = async (token: string, form: Parameters = {}) =>
  post(`${app.accounts}/oauth/introspect`, {
    token,
    client_assertion_type: type,
    client_assertion: await assert(),
    ...form,
  });

describe("introspection (RFC 7662)", () => {
  it("an active broker token is described with the key that it is bound to", async () => {
    const token = textOf(await app.signIn(newKey(), { resource: brokerAudience }), "access_token");
    // The issuer with a slash more is the same one.
    const { json, headers } = await introspect(token, { client_assertion: await assert({ aud: `${app.accounts}/` }) });
    expect(json).toMatchObject({
      ...{ active: true, aud: brokerAudience, sub: "ada", client_id: clientId, tenant_id: "acme" },
      ...{ token_type: "DPoP", cnf: { jkt: expect.any(String) } },
    });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("DECISIONS section 9: counts as a use of the token, after which the replaced refresh token gets no answer", async () => {
    const first = await app.signIn(undefined, { resource: brokerAudience });
    const replaced = textOf(first, "refresh_token");
    const second = await app.refresh(replaced, { resource: brokerAudience });
    expect((await introspect(textOf(second, "access_token"))).json).toMatchObject({ active: true });
    app.passSharedTime();
    now += sharedTimeMs / 1000;
    const repeat = async () => (await app.refresh(replaced, { resource: brokerAudience })).json.error;
    await expect.poll(repeat, { interval: 100 }).toBe("invalid_grant");
  });

  it("RFC 9396: the response to a token request, a refresh and an introspection have the bounds of the approval", async () => {
    const bounds = { vaultIds: ["v-1"], actions: ["delete"], maxDeletions: 3 };
    const authorization_details = [{ type: "vault", vaults: ["v-1"], actions: ["delete"], max_deletions: 3 }];
    const signedIn = await app.signIn(undefined, { resource: brokerAudience }, bounds);
    expect(signedIn.json).toMatchObject({ authorization_details });
    const { json } = await introspect(textOf(signedIn, "access_token"));
    expect(json).toMatchObject({ active: true, authorization_details });
    const refreshed = await app.refresh(textOf(signedIn, "refresh_token"), { resource: brokerAudience });
    expect(refreshed.json).toMatchObject({ authorization_details });
    const unbounded = await app.signIn(undefined, { resource: brokerAudience });
    expect(unbounded.json).not.toHaveProperty("authorization_details");
    expect((await introspect(textOf(unbounded, "access_token"))).json).not.toHaveProperty("authorization_details");
  });

  it("a token that is not for brokers, or unknown, is not active: nothing else is told", async () => {
    const { json } = await app.signIn();
    for (const token of [String(json.access_token), String(json.refresh_token), "x", "a.b.c"]) {
      expect((await introspect(token)).json).toEqual({ active: false });
    }
  });

  it("a token of a disabled client is not active", async () => {
    const disabled = await startOAuthApp({ RATE_LIMITS: "off", BROKERS_FILE: join(folder.path, "brokers.json") });
    const token = textOf(await disabled.signIn(undefined, { resource: brokerAudience }), "access_token");
    await disabled.setClient(false);
    const form = { token, client_assertion_type: type, client_assertion: await assert({ aud: disabled.accounts }) };
    expect((await post(`${disabled.accounts}/oauth/introspect`, form)).json).toEqual({ active: false });
    await disabled.end();
  });

  it.each<[string, () => Promise<Parameters>]>([
    ["another assertion type", async () => ({ client_assertion_type: "x" })],
    ["a text", async () => ({ client_assertion: "x" })],
    ["another key", async () => ({ client_assertion: await assert({}, other.privateKey) })],
    ["an unknown broker", async () => ({ client_assertion: await assert({ iss: "b", sub: "b" }) })],
    ["another subject", async () => ({ client_assertion: await assert({ sub: "b" }) })],
    ["another audience", async () => ({ client_assertion: await assert({ aud: "https://other.example" }) })],
    [
      "a list that contains the issuer (draft-ietf-oauth-rfc7523bis)",
      async () => ({ client_assertion: await assert({ aud: [app.accounts] }) }),
    ],
    ["an expired assertion", async () => ({ client_assertion: await assert({ exp: now - 1 }) })],
    ["an assertion for ten minutes", async () => ({ client_assertion: await assert({ exp: now + 10 * minute }) })],
    ["no expiry", async () => ({ client_assertion: await assert({ exp: undefined }) })],
    ["no jti", async () => ({ client_assertion: await assert({ jti: undefined }) })],
    ["a public client", async () => ({ client_id: clientId })],
  ])("%s: invalid_client", async (_, form) => {
    expect(await introspect("x", await form())).toMatchObject({ status: 401, json: { error: "invalid_client" } });
  });

  it("an assertion is accepted once", async () => {
    const client_assertion = await assert();
    expect((await introspect("x", { client_assertion })).status).toBe(200);
    expect((await introspect("x", { client_assertion })).status).toBe(401);
  });

  it("is in the metadata of the authorization server, with all else that it supports (RFC 8414)", async () => {
    const response = await fetch(`${app.accounts}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toEqual({
      issuer: app.accounts,
      authorization_endpoint: `${app.pages}/oauth/authorize`,
      token_endpoint: `${app.accounts}/oauth/token`,
      device_authorization_endpoint: `${app.accounts}/oauth/device_authorization`,
      revocation_endpoint: `${app.accounts}/oauth/revoke`,
      introspection_endpoint: `${app.accounts}/oauth/introspect`,
      jwks_uri: `${app.accounts}/oauth/jwks`,
      broker_audience: brokerAudience,
      pushed_authorization_request_endpoint: `${app.accounts}/oauth/par`,
      grant_types_supported: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      code_challenge_methods_supported: ["S256"],
      prompt_values_supported: ["none", "login", "consent", "select_account"],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: [
        "identity.device_authorizations:exchange",
        "vault.items:delete",
        "vault.items:read",
        "vault.items:restore",
        "vault.items:use",
        "vault.items:write",
        "vaults:manage",
        "offline_access",
      ],
      authorization_details_types_supported: ["vault"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      introspection_endpoint_auth_methods_supported: ["private_key_jwt"],
      introspection_endpoint_auth_signing_alg_values_supported: ["ES256", "Ed25519"],
      dpop_signing_alg_values_supported: ["ES256", "Ed25519"],
    });
  });

  it("does not exist without brokers", async () => {
    const without = await startOAuthApp();
    const url = `${without.accounts}/oauth/introspect`;
    expect((await fetch(url, { method: "POST", headers: { Origin: without.accounts } })).status).toBe(404);
    const metadata: unknown = await (await fetch(`${without.accounts}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).not.toHaveProperty("introspection_endpoint");
    await without.end();
  });
});

describe("BROKERS_FILE", () => {
  it.each([
    ["not JSON", "{", /is not a JSON object with a JWK set/],
    [
      "with a private key",
      JSON.stringify({ b: { keys: [privateKey.export({ format: "jwk" })] } }),
      /Private keys do not belong/,
    ],
  ])("%s: the start fails, and no key is printed", async (_, content, message) => {
    const path = join(await temporaryFolder(), "brokers.json");
    await writeFile(path, content);
    await expect(readBrokers(path)).rejects.toThrow(message);
    await expect(readBrokers(path)).rejects.not.toThrow(String(privateKey.export({ format: "jwk" }).d));
  });

  it("does not exist: the start fails", async () => {
    await expect(readBrokers("/nowhere/brokers.json")).rejects.toThrow("cannot be read (ENOENT)");
  });
});
