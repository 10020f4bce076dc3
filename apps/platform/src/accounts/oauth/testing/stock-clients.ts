import { randomUUID } from "node:crypto";
import * as mcp from "@modelcontextprotocol/client";
import * as mcpV1 from "@modelcontextprotocol/sdk/client/auth.js";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";

/** What a client knows before it signs in. */
export interface ClientSetup {
  /** The issuer of the authorization server. */
  readonly accounts: string;
  /** The URL of the API. */
  readonly api: string;
  /** The id of a registered client, or the URL of a client metadata document. */
  readonly clientId: string;
  readonly redirectUri: string;
  /** Lets the person answer at a URL, and returns the URL to which they are sent back. */
  readonly open: (url: URL) => Promise<URL>;
  /** Whether the client pushes its requests (RFC 9126). */
  readonly pushed: boolean;
  /** Whether the client proves that it has a key (RFC 9449). */
  readonly bound: boolean;
}

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/** A client that gets its tokens by the code of a library. */
export interface StockClient {
  tokens(): Tokens;
  /** Asks the person for a scope. Without one, for what the library selects. */
  authorize(scope?: string): Promise<void>;
  /** Asks the person for what a call needs besides, as the library does after a 403. */
  stepUp(scope: string): Promise<void>;
  renew(): Promise<void>;
  /** Revokes its tokens (RFC 7009). */
  revoke(): Promise<void>;
}

/** A library, and what it supports. */
export interface Library {
  readonly name: string;
  readonly pushes: boolean;
  readonly binds: boolean;
  readonly revokes: boolean;
  /** Whether it asks for everything that the metadata of an API lists, if its caller names no scope. */
  readonly asksForAll: boolean;
  start(setup: ClientSetup): Promise<StockClient>;
}

export const libraries: readonly Library[] = [
  { name: "openid-client", pushes: true, binds: true, revokes: true, asksForAll: false, start: startOpenidClient },
  { name: "oauth4webapi", pushes: true, binds: true, revokes: true, asksForAll: false, start: startOauth4webapi },
  { name: "the SDK of MCP v1", pushes: false, binds: false, revokes: false, asksForAll: true, start: startMcpV1 },
  { name: "the SDK of MCP v2", pushes: false, binds: true, revokes: false, asksForAll: true, start: startMcpV2 },
];

/** Finds the server as OpenID Connect does. */
async function startOpenidClient(setup: ClientSetup): Promise<StockClient> {
  const { accounts, api: resource, clientId, redirectUri: redirect_uri, open, pushed, bound } = setup;
  const execute = [openid.allowInsecureRequests];
  const config = await openid.discovery(new URL(accounts), clientId, undefined, openid.None(), { execute });
  const DPoP = bound ? openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("Ed25519")) : undefined;
  const proving = DPoP && { DPoP };
  let tokens: Tokens | undefined;
  const authorize = async (scope?: string) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const parameters = {
      redirect_uri,
      resource,
      ...(scope !== undefined && { scope: `${scope} offline_access` }),
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      ...(DPoP && { dpop_jkt: await DPoP.calculateThumbprint() }),
    };
    const url = pushed
      ? await openid.buildAuthorizationUrlWithPAR(config, parameters, proving)
      : openid.buildAuthorizationUrl(config, parameters);
    const checks = { pkceCodeVerifier, expectedState };
    tokens = await openid.authorizationCodeGrant(config, await open(url), checks, { resource }, proving);
  };
  return {
    tokens: () => existing(tokens),
    authorize,
    stepUp: (scope) => authorize(mcp.computeScopeUnion(existing(tokens).scope, scope) ?? scope),
    async renew() {
      tokens = await openid.refreshTokenGrant(config, refreshTokenOf(tokens), { resource }, proving);
    },
    revoke: () => openid.tokenRevocation(config, refreshTokenOf(tokens)),
  };
}

/** Finds the server as RFC 8414 says. */
async function startOauth4webapi(setup: ClientSetup): Promise<StockClient> {
  const { accounts, api: resource, clientId, redirectUri: redirect_uri, open, pushed, bound } = setup;
  const insecure = { [oauth.allowInsecureRequests]: true };
  const client = { client_id: clientId };
  const none = oauth.None();
  const issuer = new URL(accounts);
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const DPoP = bound ? oauth.DPoP({}, await oauth.generateKeyPair("ES256")) : undefined;
  const options = { ...(DPoP && { DPoP }), additionalParameters: { resource }, ...insecure };
  let tokens: Tokens | undefined;

  const push = async (parameters: URLSearchParams) => {
    const response = await oauth.pushedAuthorizationRequest(server, client, none, parameters, options);
    const { request_uri } = await oauth.processPushedAuthorizationResponse(server, client, response);
    return new URLSearchParams({ client_id: clientId, request_uri });
  };
  const authorize = async (scope?: string) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: "code",
      redirect_uri,
      resource,
      ...(scope !== undefined && { scope: `${scope} offline_access` }),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(DPoP && !pushed && { dpop_jkt: await DPoP.calculateThumbprint() }),
    });
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = String(pushed ? await withNonce(() => push(parameters)) : parameters);
    const answer = oauth.validateAuthResponse(server, client, await open(url), state);
    tokens = await withNonce(async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(server, client, none, answer, redirect_uri, verifier, options),
      ),
    );
  };
  return {
    tokens: () => existing(tokens),
    authorize,
    stepUp: (scope) => authorize(mcp.computeScopeUnion(existing(tokens).scope, scope) ?? scope),
    async renew() {
      tokens = await withNonce(async () =>
        oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, none, refreshTokenOf(tokens), options),
        ),
      );
    },
    async revoke() {
      const response = await oauth.revocationRequest(server, client, none, refreshTokenOf(tokens), insecure);
      await oauth.processRevocationResponse(response);
    },
  };
}

/** Sends a request again with the nonce that its first response contained (RFC 9449 section 8). */
async function withNonce<T>(send: () => Promise<T>): Promise<T> {
  return send().catch((error: unknown) => (oauth.isDPoPNonceError(error) ? send() : Promise.reject(error)));
}

/** What an SDK of MCP keeps for a client, as an application does. */
export function createProvider({
  accounts,
  clientId,
  redirectUri,
}: Pick<ClientSetup, "accounts" | "clientId" | "redirectUri">) {
  const byDocument = URL.canParse(clientId);
  let client: { client_id: string; issuer?: string | undefined } | undefined = byDocument
    ? undefined
    : { client_id: clientId, issuer: accounts };
  let tokens: mcp.OAuthTokens | undefined;
  let verifier = "";
  let found: mcp.OAuthDiscoveryState | undefined;
  let target: URL | undefined;
  return {
    redirectUrl: redirectUri,
    ...(byDocument && { clientMetadataUrl: clientId }),
    clientMetadata: { redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"] },
    state: () => randomUUID(),
    clientInformation: () => client,
    saveClientInformation(saved: { client_id: string; issuer?: string | undefined }) {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens(saved: mcp.OAuthTokens) {
      tokens = saved;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(saved: string) {
      verifier = saved;
    },
    discoveryState: () => found,
    saveDiscoveryState(saved: mcp.OAuthDiscoveryState) {
      found = saved;
    },
    redirectToAuthorization(url: URL) {
      target = url;
    },
    /** Returns the URL that the SDK has opened. */
    opened: () => existing(target),
    forgetTokens() {
      tokens = undefined;
    },
    forgetRefreshToken() {
      tokens = tokens && { ...tokens, refresh_token: undefined };
    },
  };
}

async function startMcpV1(setup: ClientSetup): Promise<StockClient> {
  const provider = createProvider(setup);
  const { api: serverUrl, open } = setup;
  const authorize = async (scope?: string) => {
    const scoped = scope !== undefined && { scope };
    // With a refresh token, the SDK would refresh, which gives it no more scopes.
    provider.forgetTokens();
    expectResult("REDIRECT", await mcpV1.auth(provider, { serverUrl, ...scoped }));
    const authorizationCode = codeIn(await open(provider.opened()));
    expectResult("AUTHORIZED", await mcpV1.auth(provider, { serverUrl, authorizationCode }));
  };
  return {
    tokens: () => existing(provider.tokens()),
    authorize,
    stepUp: authorize,
    async renew() {
      expectResult("AUTHORIZED", await mcpV1.auth(provider, { serverUrl }));
    },
    revoke: cannotRevoke,
  };
}

async function startMcpV2(setup: ClientSetup): Promise<StockClient> {
  const session = setup.bound ? await mcp.DpopSession.create() : undefined;
  const provider = { ...createProvider(setup), ...(session && { dpop: () => session }) };
  const { api: serverUrl, open } = setup;
  const authorize = async (scope?: string) => {
    const scoped = scope !== undefined && { scope };
    expectResult("REDIRECT", await mcp.auth(provider, { serverUrl, ...scoped, forceReauthorization: true }));
    const answer = await open(provider.opened());
    const iss = answer.searchParams.get("iss") ?? "";
    expectResult("AUTHORIZED", await mcp.auth(provider, { serverUrl, authorizationCode: codeIn(answer), iss }));
  };
  return {
    tokens: () => existing(provider.tokens()),
    authorize,
    stepUp: (scope) => authorize(mcp.computeScopeUnion(provider.tokens()?.scope, scope) ?? scope),
    async renew() {
      expectResult("AUTHORIZED", await mcp.auth(provider, { serverUrl }));
    },
    revoke: cannotRevoke,
  };
}

async function cannotRevoke(): Promise<void> {
  throw new TypeError("the SDK does not revoke tokens");
}

function expectResult(wanted: mcp.AuthResult, result: mcp.AuthResult): void {
  if (result !== wanted) throw new Error(`the SDK returned ${result} instead of ${wanted}`);
}

function codeIn(url: URL): string {
  return existing(url.searchParams.get("code") ?? undefined);
}

function refreshTokenOf(tokens: Tokens | undefined): string {
  return existing(tokens?.refresh_token);
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the authorization server has not given it");
  return value;
}
