import type * as Oauth from "oauth4webapi";
import { newId } from "../call/new-id.js";
import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";
import type { PollAnswer } from "../device/poll-until-approved.js";
import { createError } from "../error/create-error.js";
import { causeOf, describe } from "../error/error-cause.js";
import type { PlatformError } from "../error/platform-error.js";
import { readText } from "../wire/post-json.js";
import { printable } from "../wire/read-json.js";
import { rejection } from "./rejection.js";

/** The tokens of an approved login, or of a renewal. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Undefined if the one that was sent stays valid. */
  readonly refreshToken: string | undefined;
  /** The granted scopes; undefined if they are those that were asked for. */
  readonly scopes: readonly string[] | undefined;
}

/** The answer to a poll. It has tokens once the person has approved. */
export interface TokenPoll extends PollAnswer {
  readonly tokens?: Tokens;
}

/** Where, and as which OAuth client, a session logs in. */
export interface AuthorizationServerOptions {
  /** The URL of the accounts origin, such as `https://accounts.example`. Plain http is accepted only for this machine. */
  readonly issuer: string;
  /**
   * The URL of the API that the tokens are for, such as `https://api.example` (RFC 8707). The authorization server issues none for
   * another one, and the session sends none that were issued for another one.
   */
  readonly resource: string;
  /** The id of the OAuth client that an administrator registered for the program. */
  readonly clientId: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The key that tokens are bound to, and the signal that ends a request. */
export interface RequestOptions {
  readonly keyPair: WebCryptoKeyPair;
  readonly signal?: AbortSignal | undefined;
}

/** How long a request may take. */
const timeoutMs = 30_000;

/** Longer times in a response are cut to this, in seconds: a date or a timer could not have them. */
const longestTime = 86_400;

/**
 * Connects to an authorization server: reads its metadata, and makes the requests of RFC 8628, RFC 6749 section 6 and RFC 7009, with
 * a proof of the session's key (RFC 9449). Each request for a code or for tokens names the API (RFC 8707). Every failure is a
 * PlatformError.
 */
export async function connectAuthorizationServer(options: AuthorizationServerOptions) {
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

  /** Makes a request. @throws PlatformError, or the ResponseBodyError of an answer whose error is in `expected`. */
  async function attempt<Result>(make: () => Promise<Result>, expected: readonly string[] = []): Promise<Result> {
    try {
      return await make();
    } catch (thrown) {
      if (thrown instanceof oauth.ResponseBodyError && expected.includes(thrown.error)) throw thrown;
      throw failure(thrown);
    }
  }

  function failure(thrown: unknown): PlatformError {
    // The server gets no request id: this one identifies the error only.
    const ref = { info: { requestId: newId() }, retryable: true };
    if (thrown instanceof oauth.ResponseBodyError && thrown.status < 500 && thrown.status !== 429)
      return rejection(ref, thrown, options);
    if (thrown instanceof oauth.OperationProcessingError && thrown.code !== oauth.RESPONSE_IS_NOT_CONFORM) {
      const text = `${url.host} did not answer like an authorization server (${thrown.code}). Check the issuer.`;
      return createError(ref, "MALFORMED_RESPONSE", "internal", text);
    }
    const text = `No tokens from ${url.host} (${describe(thrown)}). Check the issuer, the server and the network.`;
    return createError(ref, "NETWORK_ERROR", "unavailable", text, { cause: causeOf(thrown) });
  }

  /** Makes a request with a proof of the key, and once more if the server asks for a nonce. */
  function withProof<Result>(keyPair: WebCryptoKeyPair, make: (proof: Oauth.DPoPHandle) => Promise<Result>) {
    const proof = oauth.DPoP(client, keyPair);
    return make(proof).catch((thrown: unknown) => {
      if (oauth.isDPoPNonceError(thrown)) return make(proof);
      throw thrown;
    });
  }

  const server = await attempt(async () =>
    oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...http(), algorithm: "oauth2" })),
  );

  const tokensOf = (answer: Oauth.TokenEndpointResponse): Tokens => ({
    accessToken: answer.access_token,
    expiresInSeconds: Math.min(answer.expires_in ?? 0, longestTime),
    refreshToken: answer.refresh_token,
    scopes: answer.scope?.split(" ").map(printable),
  });

  return {
    /** Starts a device authorization for a key (RFC 8628 section 3.1). */
    async start(
      scopes: readonly string[],
      { keyPair, signal }: RequestOptions,
    ): Promise<Oauth.DeviceAuthorizationResponse> {
      const parameters = {
        resource,
        ...(scopes.length > 0 && { scope: scopes.join(" ") }),
        dpop_jkt: await oauth.DPoP(client, keyPair).calculateThumbprint(),
      };
      return attempt(async () => {
        const answer = await oauth.deviceAuthorizationRequest(server, client, none, parameters, http(signal));
        const started = await oauth.processDeviceAuthorizationResponse(server, client, answer);
        const { expires_in, interval = 0 } = started;
        return { ...started, expires_in: Math.min(expires_in, longestTime), interval: Math.min(interval, longestTime) };
      });
    },

    /** Polls for the tokens of a device code (RFC 8628 sections 3.4 and 3.5). */
    async poll(deviceCode: string, { keyPair, signal }: RequestOptions): Promise<TokenPoll> {
      // Until the server says that the code has expired, some time is left.
      const pending = { expiresInSeconds: 1, intervalSeconds: 0, requestId: newId() };
      try {
        const answer = await attempt(
          () =>
            withProof(keyPair, async (DPoP) => {
              const answer = await oauth.deviceCodeGrantRequest(server, client, none, deviceCode, {
                ...http(signal),
                ...target,
                DPoP,
              });
              return oauth.processDeviceCodeResponse(server, client, answer);
            }),
          ["authorization_pending", "slow_down", "access_denied", "expired_token"],
        );
        return { ...pending, status: "approved", tokens: tokensOf(answer) };
      } catch (thrown) {
        if (!(thrown instanceof oauth.ResponseBodyError)) throw thrown;
        return { ...pending, status: thrown.error, ...(thrown.error === "expired_token" && { expiresInSeconds: 0 }) };
      }
    },

    /**
     * Renews the tokens (RFC 6749 section 6). The refresh token that was sent stops working. Resolves with undefined when the session
     * has ended: it expired or was revoked.
     */
    async refresh(refreshToken: string, { keyPair, signal }: RequestOptions): Promise<Tokens | undefined> {
      try {
        return await attempt(
          () =>
            withProof(keyPair, async (DPoP) => {
              const options = { ...http(signal), ...target, DPoP };
              const answer = await oauth.refreshTokenGrantRequest(server, client, none, refreshToken, options);
              return tokensOf(await oauth.processRefreshTokenResponse(server, client, answer));
            }),
          ["invalid_grant"],
        );
      } catch (thrown) {
        if (!(thrown instanceof oauth.ResponseBodyError)) throw thrown;
        return undefined;
      }
    },

    /** Ends the session on the server (RFC 7009). */
    revoke(refreshToken: string, { signal }: Pick<RequestOptions, "signal"> = {}): Promise<void> {
      return attempt(async () => {
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, none, refreshToken, http(signal)),
        );
      });
    },
  };
}

export type AuthorizationServer = Awaited<ReturnType<typeof connectAuthorizationServer>>;
