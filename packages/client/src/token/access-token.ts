import type { SecretToken } from "./secret-token.js";

/** An access token and when it expires. Without `expiresAt`, it is used until the server rejects it. */
export interface AccessToken {
  readonly accessToken: string | SecretToken;
  /** A `Date`, or an ISO 8601 string as in JSON. */
  readonly expiresAt?: Date | string | undefined;
}

/** Why the provider is called. */
export interface TokenRequest {
  /** Aborted when the provider takes longer than the client's `timeoutMs`. */
  readonly signal: AbortSignal;
  /**
   * - `first`: the client has had no token yet.
   * - `expired`: the last token has expired, or is about to.
   * - `rejected`: the server rejected the last token.
   */
  readonly reason: "first" | "expired" | "rejected";
}

/** What a token provider may return. */
export type ProvidedToken = string | SecretToken | AccessToken;

/** Gets an access token. Concurrent calls of the client share one call of the provider. */
export type TokenProvider = (request: TokenRequest) => ProvidedToken | Promise<ProvidedToken>;
