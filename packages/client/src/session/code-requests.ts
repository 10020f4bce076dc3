import type { DPoPHandle, TokenEndpointRequestOptions } from "oauth4webapi";
import { type CallRef, createError } from "../error/create-error.js";
import {
  type AuthorizationServer,
  longestTime,
  pageUrl,
  type RequestOptions,
  refreshScope,
  type Tokens,
} from "./authorization-server.js";
import { detailsOf, type SessionBounds } from "./session-bounds.js";

/** A started login with an authorization code (RFC 6749 section 4.1). */
export interface StartedCodeLogin {
  readonly call: CallRef;
  /** The page on which the person decides. */
  readonly authorizationUri: string;
  /** Seconds until the page can no longer be opened. */
  readonly expiresInSeconds: number;
  readonly redirectUri: string;
  /** Identifies the login in the response. */
  readonly state: string;
  /** The secret without which the code is useless (RFC 7636). */
  readonly codeVerifier: string;
}

interface CodeLoginRequest extends RequestOptions {
  readonly call: CallRef;
  readonly scopes: readonly string[];
  readonly bounds: SessionBounds | undefined;
  readonly redirectUri: string;
}

/** The answers to a pushed request of a client whose registration does not have this flow (RFC 9126 section 2.3). */
const notForClient = ["invalid_request", "unauthorized_client"];

/**
 * Starts a login with an authorization code and PKCE. The code is bound to the key (RFC 9449 section 10). If the server accepts pushed
 * authorization requests (RFC 9126), the address of the page contains nothing but a reference to the request.
 *
 * @throws PlatformError with the code `unimplemented` if the server does not offer this flow to the client.
 */
export async function startCodeLogin(
  server: AuthorizationServer,
  { call, scopes, bounds, redirectUri, keyPair, signal }: CodeLoginRequest,
): Promise<StartedCodeLogin> {
  const { oauth, metadata, client, resource, binding } = server;
  const page = authorizationPage(server, call);
  const state = oauth.generateRandomState();
  // The prefix lets servers recognise a verifier in a URL or a log.
  const codeVerifier = `pcv_${oauth.generateRandomCodeVerifier()}`;
  // A server that lists its scopes rejects others.
  const knowsRefreshScope = metadata.scopes_supported?.includes(refreshScope) ?? true;
  const scope = [...scopes, ...(knowsRefreshScope ? [refreshScope] : [])];
  const request = {
    client_id: client.client_id,
    response_type: "code",
    // A server may answer for a person who has approved before. But any program on this machine can use this client's name (RFC 8252
    // section 8.6), and a login is for somebody to decide.
    prompt: "consent",
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    resource,
    ...(scope.length > 0 && { scope: scope.join(" ") }),
    ...detailsOf(server, call, bounds),
    ...(await binding(keyPair)),
  };
  const { expiresInSeconds, ...parameters } =
    metadata.pushed_authorization_request_endpoint === undefined
      ? { ...request, expiresInSeconds: longestTime }
      : await push(server, request, { call, keyPair, signal });
  for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);
  return { call, authorizationUri: page.href, expiresInSeconds, redirectUri, state, codeVerifier };
}

/** Sends an authorization request ahead (RFC 9126), with a proof of the key (RFC 9449 section 10.1). */
async function push(
  { oauth, metadata, client, none, host, http, attempt, isAnswer, withProof }: AuthorizationServer,
  request: Readonly<Record<string, string>>,
  { call, keyPair, signal }: Pick<CodeLoginRequest, "call" | "keyPair" | "signal">,
) {
  const make = async (proof: { readonly DPoP?: DPoPHandle }) => {
    const options = { ...http(signal), ...proof };
    const answer = await oauth.pushedAuthorizationRequest(metadata, client, none, { ...request }, options);
    return oauth.processPushedAuthorizationResponse(metadata, client, answer);
  };
  try {
    const { request_uri, expires_in } = await attempt(() => withProof(keyPair, make), notForClient);
    return { client_id: client.client_id, request_uri, expiresInSeconds: Math.min(expires_in, longestTime) };
  } catch (thrown) {
    if (!isAnswer(thrown, ...notForClient)) throw thrown;
    const text = `${host} accepts no authorization code login of the OAuth client ${client.client_id} (${thrown.error}). Ask an administrator to register its redirect URI http://127.0.0.1/callback, or use createDeviceSession.`;
    throw createError(call, undefined, "unimplemented", text);
  }
}

/** Returns the authorization endpoint. The metadata is untrusted input, and a person opens this address. */
function authorizationPage({ metadata, host }: AuthorizationServer, call: CallRef): URL {
  const {
    authorization_endpoint: endpoint,
    response_types_supported: types,
    code_challenge_methods_supported: methods,
  } = metadata;
  if (endpoint === undefined || !types?.includes("code") || !methods?.includes("S256")) {
    const text = `${host} offers no login with an authorization code and PKCE. Use createDeviceSession.`;
    throw createError(call, undefined, "unimplemented", text);
  }
  const page = pageUrl(endpoint);
  if (page !== undefined) return page;
  const text = `${host} names a page for the approval that is not an https URL. Do not open it. Check the issuer.`;
  throw createError(call, "MALFORMED_RESPONSE", "internal", text);
}

/** Checks that a response belongs to a login, and comes from its server (RFC 9207). @throws PlatformError, also if access was denied. */
export async function validateResponse(
  { oauth, metadata, client, attempt, isAnswer }: AuthorizationServer,
  { call, state }: StartedCodeLogin,
  response: URLSearchParams,
): Promise<URLSearchParams> {
  try {
    return await attempt(async () => oauth.validateAuthResponse(metadata, client, response, state), ["access_denied"]);
  } catch (thrown) {
    if (!isAnswer(thrown, "access_denied")) throw thrown;
    const text = "The user denied access in the browser. Log in again only if they want to.";
    throw createError(call, "ACCESS_DENIED", "permission_denied", text);
  }
}

/** Exchanges the authorization code in a validated response for tokens (RFC 6749 section 4.1.3). @throws PlatformError */
export async function redeemCode(
  { oauth, metadata, client, none, host, isAnswer, requestTokens }: AuthorizationServer,
  { call, redirectUri, codeVerifier }: StartedCodeLogin,
  validated: URLSearchParams,
  request: RequestOptions,
): Promise<Tokens> {
  const make = async (options: TokenEndpointRequestOptions) =>
    oauth.processAuthorizationCodeResponse(
      metadata,
      client,
      await oauth.authorizationCodeGrantRequest(metadata, client, none, validated, redirectUri, codeVerifier, options),
    );
  try {
    return await requestTokens(request, make, ["invalid_grant"]);
  } catch (thrown) {
    if (!isAnswer(thrown, "invalid_grant")) throw thrown;
    const text = `${host} no longer accepts the authorization code: it expired or was used. Log in again.`;
    throw createError(call, "EXPIRED_TOKEN", "failed_precondition", text);
  }
}
