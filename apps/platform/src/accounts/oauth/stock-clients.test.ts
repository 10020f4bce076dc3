import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/client";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../../../examples/oauth.js";
import { signInForFiveDeletions } from "../../../examples/oauth-limits.js";
import { newTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.js";
import { clientId, type OAuthApp, startOAuthApp } from "./testing/oauth-app.js";

const insecure = { [oauth.allowInsecureRequests]: true };
const brokerAudience = "https://platform.example/broker";
const client = { client_id: clientId };

let app: OAuthApp;
let folder: TemporaryFolder;
let broker: CryptoKeyPair;
beforeAll(async () => {
  folder = await newTemporaryFolder();
  broker = await oauth.generateKeyPair("Ed25519", { extractable: true });
  const jwk = await crypto.subtle.exportKey("jwk", broker.publicKey);
  const BROKERS_FILE = join(folder.path, "brokers.json");
  await writeFile(
    BROKERS_FILE,
    JSON.stringify({ "broker-1": { keys: [{ ...jwk, key_ops: undefined, ext: undefined }] } }),
  );
  app = await startOAuthApp({ RATE_LIMITS: "off", BROKERS_FILE });
});
afterAll(async () => {
  await app.end();
  await folder.remove();
});

const userCodeIn = (uri: string) => new URL(uri).searchParams.get("user_code") ?? "";

describe("openid-client", () => {
  it("the example signs in with DPoP, renews its tokens, and signs out", async () => {
    let approved: Promise<void> = Promise.resolve();
    const session = await signIn(new URL(app.accounts), clientId, app.publicUrl, (uri) => {
      approved = app.approve(userCodeIn(uri), ["vault.items:delete"]);
    });
    await approved;
    const first = session.accessToken();
    expect(await app.callApi(first)).toBe(404);
    await session.renew();
    await session.renew();
    expect(session.accessToken()).not.toBe(first);
    expect(await app.callApi(session.accessToken())).toBe(404);
    await session.signOut();
    await expect(session.renew()).rejects.toMatchObject({ error: "invalid_grant" });
  }, 30_000);

  it("the example with limits gets no more than it has asked for, and less if the person allows less (RFC 9396)", async () => {
    let approved: Promise<void> = Promise.resolve();
    const { accessToken, allowed } = await signInForFiveDeletions(new URL(app.accounts), clientId, "v-1", (uri) => {
      const bounds = { vaultIds: ["v-1", "v-2"], maxDeletions: 3 };
      approved = app.approve(userCodeIn(uri), ["vault.items:delete"], bounds);
    });
    await approved;
    const limits = { type: "vault", vaults: ["v-1"], actions: ["read", "delete"], max_deletions: 3 };
    expect(allowed).toEqual([{ ...limits, expires_at: expect.any(Number) }]);
    expect(await app.callApi(accessToken)).toBe(404);
  }, 30_000);
});

describe("the client of MCP", () => {
  it("discovers the API's metadata and the authorization server from a rejected call", async () => {
    const rejected = await fetch(`${app.publicUrl}/platform.v1.VaultService/DeleteItem`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Connect-Protocol-Version": "1" },
      body: "{}",
    });
    const { resourceMetadataUrl = "" } = extractWWWAuthenticateParams(rejected);
    const resource = await discoverOAuthProtectedResourceMetadata(app.publicUrl, { resourceMetadataUrl });
    expect(resource).toMatchObject({ resource: app.publicUrl, authorization_servers: [app.accounts] });
    expect(await discoverAuthorizationServerMetadata(app.accounts)).toMatchObject({
      issuer: app.accounts,
      device_authorization_endpoint: `${app.accounts}/oauth/device_authorization`,
    });
  });
});

describe("oauth4webapi", () => {
  const discover = async () => {
    const issuer = new URL(app.accounts);
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
    return oauth.processDiscoveryResponse(issuer, response);
  };

  it("discovers the authorization server from the API (RFC 9728, RFC 8414)", async () => {
    const api = new URL(app.publicUrl);
    const response = await oauth.resourceDiscoveryRequest(api, insecure);
    const { authorization_servers } = await oauth.processResourceDiscoveryResponse(api, response);
    expect(authorization_servers).toEqual([app.accounts]);
    expect(await discover()).toEqual({
      issuer: app.accounts,
      authorization_endpoint: `${app.accounts}/oauth/authorize`,
      token_endpoint: `${app.accounts}/oauth/token`,
      device_authorization_endpoint: `${app.accounts}/oauth/device_authorization`,
      revocation_endpoint: `${app.accounts}/oauth/revoke`,
      introspection_endpoint: `${app.accounts}/oauth/introspect`,
      jwks_uri: `${app.accounts}/oauth/jwks`,
      pushed_authorization_request_endpoint: `${app.accounts}/oauth/par`,
      grant_types_supported: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      code_challenge_methods_supported: ["S256"],
      prompt_values_supported: ["none", "consent"],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: [
        "identity.device_authorizations:exchange",
        "vault.items:delete",
        "vault.items:read",
        "vault.items:restore",
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

  it("loads the keys that the API publishes, too", async () => {
    const { jwks_uri = "" } = await discover();
    const [own, published] = await Promise.all(
      [jwks_uri, `${app.publicUrl}/.well-known/jwks.json`].map(async (url) => (await fetch(url)).json()),
    );
    expect(own).toEqual(published);
  });

  it("polls, redeems, refreshes, introspects as a broker, and revokes", async () => {
    const server = await discover();
    const none = oauth.None();
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair("ES256"));
    const options = { DPoP, additionalParameters: { resource: brokerAudience }, ...insecure };
    const started = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(server, client, none, {}, insecure),
    );
    const redeem = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, none, started.device_code, options),
      );
    // The first response contains the nonce.
    await expect(redeem()).rejects.toSatisfy(oauth.isDPoPNonceError);
    await expect(redeem()).rejects.toMatchObject({ error: "authorization_pending" });
    await app.approve(started.user_code);
    const first = await redeem();
    expect(first).toMatchObject({ token_type: "dpop", scope: expect.any(String) });

    const second = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, first.refresh_token ?? "", options),
    );
    const introspect = async (token: string) => {
      const asker = { client_id: "broker-1" };
      const authentication = oauth.PrivateKeyJwt(broker.privateKey);
      const response = await oauth.introspectionRequest(server, asker, authentication, token, insecure);
      return oauth.processIntrospectionResponse(server, asker, response);
    };
    expect(await introspect(second.access_token)).toMatchObject({
      active: true,
      aud: brokerAudience,
      sub: "ada",
      client_id: clientId,
      scope: second.scope,
      token_type: "DPoP",
      cnf: { jkt: expect.any(String) },
      tenant_id: "acme",
      role: "agent",
    });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, none, second.refresh_token ?? "", insecure),
    );
    await expect.poll(() => introspect(second.access_token), { timeout: 5000 }).toEqual({ active: false });
  });
});
