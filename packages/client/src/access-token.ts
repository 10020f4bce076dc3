import type { SecretToken } from "./secret-token.js";

/** An access token, and when it ends. Without `expiresAt` it is used until the server rejects it. */
export interface AccessToken {
  readonly accessToken: string | SecretToken;
  /** A date, or one in the form that JSON has it in. */
  readonly expiresAt?: Date | string | undefined;
}

/** Why a token is asked for. */
export interface TokenRequest {
  /** Aborted when the provider has taken as long as a call may, the client's `timeoutMs`, and once it has answered. */
  readonly signal: AbortSignal;
  /**
   * - `first`: the client has had none yet.
   * - `expired`: the last one has expired, or will within moments.
   * - `rejected`: the server does not accept the last one.
   */
  readonly reason: "first" | "expired" | "rejected";
}

/** What a token provider may give. */
export type ProvidedToken = string | SecretToken | AccessToken;

/** Gets access tokens. Called when one is needed; calls of the client that happen meanwhile share the answer. */
export type TokenProvider = (request: TokenRequest) => ProvidedToken | Promise<ProvidedToken>;
