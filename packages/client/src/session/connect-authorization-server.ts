import type * as Oauth from "oauth4webapi";
import { newId } from "../call/new-id.js";
import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";
import { causeOf, createError, describe } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import { readText } from "../wire/http.js";
import { printable } from "../wire/read-json.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  longestTime,
  type OauthError,
  refreshScope,
  rejection,
  type Tokens,
} from "./authorization-server.js";

/** How long a request may take. */
const timeoutMs = 30_000;

/** Connects to an authorization server: reads its metadata (RFC 8414). @throws PlatformError */
export async function connectAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const { issuer, resource, clientId, fetch = globalThis.fetch } = options;
  // Imported here, so that CommonJS can load it, too: it is an ES module.
  const oauth = await import("oauth4webapi");
  const url = new URL(issuer);
  const client: Oauth.Client = { client_id: clientId };
  const none = oauth.None();
  const target = { additionalParameters: { resource } };
  const http = (signal?: AbortSignal) => ({
    [oauth.allowInsecureRequests]: url.protocol === "http:",
    [oauth.customFetch]: async (to: string, init: object) => {
      const response = await fetch(to, init);
      // At most 1 MiB of it: the server is not trusted yet.
      return new Response((await readText(response)) || null, response);
    },
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  });

  const isOauthError = (thrown: unknown): thrown is OauthError =>
    thrown instanceof oauth.ResponseBodyError || thrown instanceof oauth.AuthorizationResponseError;

  const isAnswer = (thrown: unknown, ...errors: readonly string[]): thrown is OauthError =>
    isOauthError(thrown) && errors.includes(thrown.error);

  async function attempt<Result>(make: () => Promise<Result>, expected: readonly string[] = []): Promise<Result> {
    try {
      return await make();
    } catch (thrown) {
      throw isAnswer(thrown, ...expected) ? thrown : failure(thrown);
    }
  }

  function failure(thrown: unknown): PlatformError {
    // The server gets no request id: this one identifies the error only.
    const ref = { info: { requestId: newId() }, retryable: true, baseUrl: resource.replace(/\/+$/, "") };
    if (isOauthError(thrown) && !isTemporary(thrown)) return rejection(ref, thrown, options);
    if (
      thrown instanceof oauth.UnsupportedOperationError ||
      (thrown instanceof oauth.OperationProcessingError && thrown.code !== oauth.RESPONSE_IS_NOT_CONFORM)
    ) {
      const text = `${url.host} did not answer like an authorization server (${thrown.code}). Check the issuer.`;
      return createError(ref, "MALFORMED_RESPONSE", "internal", text);
    }
    const { cause }: { readonly cause?: unknown } = Object(thrown);
    // RFC 9110 section 15.5.20: the server has another name.
    const misdirected = cause instanceof Response && cause.status === 421;
    const text = misdirected
      ? `${url.host} is not the name of the authorization server (status 421). Use the issuer exactly as the server names it, such as localhost instead of 127.0.0.1.`
      : `No tokens from ${url.host} (${describe(thrown)}). Check the issuer, the server and the network.`;
    return createError(ref, "NETWORK_ERROR", "unavailable", text, { cause: causeOf(thrown) });
  }

  function withProof<Result>(keyPair: WebCryptoKeyPair, make: (proof: Oauth.DPoPHandle) => Promise<Result>) {
    const proof = oauth.DPoP(client, keyPair);
    return make(proof).catch((thrown: unknown) => {
      if (oauth.isDPoPNonceError(thrown)) return make(proof);
      throw thrown;
    });
  }

  const requestTokens: AuthorizationServer["requestTokens"] = ({ keyPair, signal }, make, expected) =>
    attempt(
      async () => tokensOf(await withProof(keyPair, (DPoP) => make({ ...http(signal), ...target, DPoP }))),
      expected,
    );

  const metadata = await attempt(async () =>
    oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...http(), algorithm: "oauth2" })),
  );

  return {
    oauth,
    metadata,
    client,
    none,
    host: url.host,
    resource,
    http,
    attempt,
    isAnswer,
    withProof,
    requestTokens,
    thumbprint: (keyPair) => oauth.DPoP(client, keyPair).calculateThumbprint(),

    async refresh(refreshToken, request) {
      const make = async (options: Oauth.TokenEndpointRequestOptions) => {
        const answer = await oauth.refreshTokenGrantRequest(metadata, client, none, refreshToken, options);
        return oauth.processRefreshTokenResponse(metadata, client, answer);
      };
      try {
        return await requestTokens(request, make, ["invalid_grant"]);
      } catch (thrown) {
        if (isAnswer(thrown, "invalid_grant")) return undefined;
        throw thrown;
      }
    },

    revoke: (refreshToken) =>
      attempt(async () => {
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(metadata, client, none, refreshToken, http()),
        );
      }),
  };
}

/** Returns whether the same request may succeed later. A redirect cannot have the status 503, so its error says so. */
function isTemporary(answer: OauthError): boolean {
  if ("status" in answer) return answer.status >= 500 || answer.status === 429;
  return answer.error === "server_error" || answer.error === "temporarily_unavailable";
}

function tokensOf({ access_token, expires_in = 0, refresh_token, scope }: Oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: access_token,
    expiresInSeconds: Math.min(expires_in, longestTime),
    refreshToken: refresh_token,
    scopes: scope
      ?.split(" ")
      .filter((granted) => granted !== refreshScope)
      .map(printable),
  };
}
