import type * as Oauth from "oauth4webapi";
import { causeOf, createError, describe } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import { targetOf } from "../error/redactor.js";
import { readText } from "../wire/http.js";
import { readHttpDate } from "../wire/http-date.js";
import { printable } from "../wire/read-json.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  longestTime,
  newCall,
  type OauthError,
  refreshScope,
  rejection,
  type Tokens,
} from "./authorization-server.js";

const timeoutMs = 30_000;

/** In seconds. Servers accept proofs from a clock that is a minute off. The header Date has whole seconds, and takes time to arrive. */
const usualSkew = 30;

/** Connects to an authorization server: reads its metadata (RFC 8414). @throws PlatformError */
export async function connectAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const { issuer, resource, clientId, fetch = globalThis.fetch, logger = console } = options;
  // Imported here, so that CommonJS can load it, too: it is an ES module.
  const oauth = await import("oauth4webapi");
  const url = new URL(issuer);
  const client: Oauth.Client = { client_id: clientId };
  const none = oauth.None();
  const target = { additionalParameters: { resource } };
  const http = (signal?: AbortSignal) => ({
    [oauth.allowInsecureRequests]: url.protocol === "http:",
    [oauth.customFetch]: async (to: string, init: Pick<RequestInit, "method">) => {
      const response = await fetch(to, init);
      // A response to GET may come from a cache, with the date of an earlier one.
      if (init.method === "POST") learnSkew(response);
      // At most 1 MiB of it: the server is not trusted yet.
      return new Response((await readText(response)) || null, response);
    },
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  });

  let skew = 0;
  let warned = false;

  /** Learns how many seconds this machine's clock is behind the server's. Ignores more than a day: a server accepts no proof of then. */
  function learnSkew({ headers }: Response): void {
    const seconds = Math.round((readHttpDate(headers.get("Date") ?? "", Date.now()) - Date.now()) / 1000);
    const off = Math.abs(seconds);
    if (!(off <= longestTime)) return;
    skew = off > usualSkew ? seconds : 0;
    if (skew === 0 || warned) return;
    warned = true;
    const text = `This machine's clock is ${off} s ${skew > 0 ? "behind" : "ahead of"} that of ${url.host}. Proofs of the session's key are signed with the server's time. Set the clock.`;
    logger.warn(text);
  }

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
    const ref = { ...newCall(issuer), retryable: true };
    if (isOauthError(thrown) && !isTemporary(thrown)) return rejection(ref, thrown, options);
    if (
      thrown instanceof oauth.UnsupportedOperationError ||
      (thrown instanceof oauth.OperationProcessingError && thrown.code !== oauth.RESPONSE_IS_NOT_CONFORM)
    ) {
      const text = `${url.host} did not answer like an authorization server (${thrown.code}). Check the issuer.`;
      return createError(ref, "MALFORMED_RESPONSE", "internal", text);
    }
    const { cause }: { readonly cause?: unknown } = Object(thrown);
    const response = cause instanceof Response ? cause : undefined;
    const target = targetOf(response?.headers.get("Location") ?? null, issuer);
    // RFC 9110 section 15.5.20: the server has another name.
    const text =
      response?.status === 421
        ? `${url.host} is not the name of the authorization server (status 421). Use the issuer exactly as the server names it, such as 127.0.0.1 instead of localhost, and log in again.`
        : target
          ? `No tokens from ${url.host}: it redirects to ${target}, and the session does not follow. Check the issuer.`
          : `No tokens from ${url.host} (${describe(thrown)}). Check the issuer, the server and the network.`;
    return createError(ref, "NETWORK_ERROR", "unavailable", text, { cause: causeOf(thrown) });
  }

  const withProof: AuthorizationServer["withProof"] = async (keyPair, make) => {
    if (keyPair === undefined) return make({});
    const modifyAssertion: Oauth.ModifyAssertionFunction = (_, claims) => {
      Object.assign(claims, { iat: Math.floor(Date.now() / 1000) + skew });
    };
    const proof = { DPoP: oauth.DPoP(client, keyPair, { [oauth.modifyAssertion]: modifyAssertion }) };
    const attempt = async (retries: number): ReturnType<typeof make> => {
      const signedWith = skew;
      return make(proof).catch((thrown: unknown) => {
        // The answer to a proof with a wrong time says what the right one is.
        const isLate = skew !== signedWith && isAnswer(thrown, "invalid_dpop_proof");
        if (retries > 0 && (isLate || oauth.isDPoPNonceError(thrown))) return attempt(retries - 1);
        throw thrown;
      });
    };
    return attempt(2);
  };

  const requestTokens: AuthorizationServer["requestTokens"] = ({ keyPair, signal }, make, expected) =>
    attempt(
      async () => tokensOf(await withProof(keyPair, (proof) => make({ ...http(signal), ...target, ...proof }))),
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
    binding: async (keyPair) =>
      keyPair === undefined ? {} : { dpop_jkt: await oauth.DPoP(client, keyPair).calculateThumbprint() },

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
