import type * as Oauth from "oauth4webapi";
import { newId } from "../call/new-id.js";
import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";
import { type CallRef, createError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { Logger } from "../options/logger.js";
import { attempt } from "../wire/read-json.js";

/** The tokens of an approved login, or of a renewal. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Undefined if the one that was sent stays valid. */
  readonly refreshToken: string | undefined;
  /** The granted scopes; undefined if they are those that were asked for. */
  readonly scopes: readonly string[] | undefined;
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
  /**
   * Where the session warns, once, that the clock of this machine is off. It then signs its proofs with the time of the authorization
   * server. Default: `console`.
   */
  readonly logger?: Pick<Logger, "warn"> | undefined;
}

/** The key that tokens are bound to, if any, and the signal that ends a request. */
export interface RequestOptions {
  readonly keyPair: WebCryptoKeyPair | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longer times in a response are cut to this, in seconds: a date or a timer could not have them. */
export const longestTime = 86_400;

/** Asks for a refresh token, and allows nothing else. */
export const refreshScope = "offline_access";

/** An error of OAuth, in a response body or in a redirect. */
export type OauthError = Oauth.ResponseBodyError | Oauth.AuthorizationResponseError;

/**
 * An authorization server, with what its requests have in common. Every failure is a PlatformError. The requests of a login are in other
 * modules, so that a program has only those of its flow.
 */
export interface AuthorizationServer {
  readonly oauth: typeof Oauth;
  /** What the server publishes about itself (RFC 8414). Untrusted input. */
  readonly metadata: Oauth.AuthorizationServer;
  readonly client: Oauth.Client;
  /** The client is public: it has no secret. */
  readonly none: Oauth.ClientAuth;
  readonly host: string;
  /** The API that the tokens are for. */
  readonly resource: string;
  http(signal: AbortSignal | undefined): Oauth.HttpRequestOptions<"POST", URLSearchParams>;
  /** Makes a request. @throws PlatformError, or the error of OAuth of an answer whose error is in `expected`. */
  attempt<Result>(make: () => Promise<Result>, expected?: readonly string[]): Promise<Result>;
  /** Returns whether a request failed with one of these errors of OAuth. */
  isAnswer(thrown: unknown, ...errors: readonly string[]): thrown is OauthError;
  /** Makes a request with a proof of the key, and again if the server asks for a nonce or rejects the time of the proof. */
  withProof<Result>(
    keyPair: WebCryptoKeyPair | undefined,
    make: (proof: { readonly DPoP?: Oauth.DPoPHandle }) => Promise<Result>,
  ): Promise<Result>;
  /** Makes a request for tokens for the API, with a proof of the key. @throws as `attempt` does. */
  requestTokens(
    request: RequestOptions,
    make: (options: Oauth.TokenEndpointRequestOptions) => Promise<Oauth.TokenEndpointResponse>,
    expected: readonly string[],
  ): Promise<Tokens>;
  /** Returns the parameter that binds a login to a key (RFC 9449 section 10). None without a key. */
  binding(keyPair: WebCryptoKeyPair | undefined): Promise<{ readonly dpop_jkt?: string }>;
  /**
   * Renews the tokens (RFC 6749 section 6). The refresh token that was sent stops working. Resolves with undefined when the session
   * has ended: it expired or was revoked.
   */
  refresh(refreshToken: string, request: RequestOptions): Promise<Tokens | undefined>;
  /** Ends the session on the server (RFC 7009). */
  revoke(refreshToken: string): Promise<void>;
}

const loopback = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/;
/** Also the names below `localhost`: browsers connect them to this machine, but programs may look them up (RFC 6761 section 6.3). */
const loopbackOfPages = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.[0-9]+){3}|\[::1\])$/;

/** Returns an https URL, or one of this machine with plain http. Returns undefined for anything else, and for one with credentials. */
export function secureUrl(text: unknown, onThisMachine = loopback): URL | undefined {
  const url = attempt(() => new URL(`${text}`));
  if (url === undefined || url.username + url.password !== "") return undefined;
  return url.protocol === "https:" || (url.protocol === "http:" && onThisMachine.test(url.hostname)) ? url : undefined;
}

/** Returns the URL of a page that a person opens, which may also have a name below `localhost`. */
export function pageUrl(text: unknown): URL | undefined {
  return secureUrl(text, loopbackOfPages);
}

/** Returns what errors of a session refer to. Their pages are at the accounts origin: tokens may be for something else than the API. */
export function newCall(issuer: string): CallRef {
  return { info: { requestId: newId() }, baseUrl: issuer.replace(/\/+$/, "") };
}

/** Creates the error of a session whose authorization server rejected a request (RFC 6749 sections 4.1.2.1 and 5.2). */
export function rejection(
  ref: CallRef,
  { error, status }: { readonly error: string; readonly status?: number },
  { issuer, resource, clientId }: AuthorizationServerOptions,
): PlatformError {
  const { host } = new URL(issuer);
  // Untrusted input: the error is shown only in the form of RFC 6749.
  const known = /^[a-z_]{1,40}$/.test(error) ? error : "an unknown error";
  const texts: Readonly<Record<string, string>> = {
    invalid_dpop_proof: `${host} rejected a proof of the session's key (${known}). Check that this machine's clock is right.`,
    invalid_target: `${host} issues no tokens for ${resource} (${known}). Check the URL of the API: it belongs to another server.`,
    invalid_authorization_details: `${host} does not accept these limits (${known}). Check the option bounds: its time must be in the future, its vaults must be ids of vaults, and its hosts must be hosts in lower case.`,
    invalid_scope: `${host} does not let the OAuth client ${clientId} ask for these scopes (${known}). Set the option scopes to those that it may have, or ask an administrator.`,
  };
  const usual = `${host} rejected the OAuth client ${clientId} (${known}). Ask an administrator to check its registration.`;
  return createError(ref, "UNAUTHENTICATED", "unauthenticated", texts[known] ?? usual, { status });
}
