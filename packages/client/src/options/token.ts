import { redacted } from "../error/redactor.js";

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

/**
 * A token that prints as "[redacted]" in logs and JSON. Only {@link reveal} returns it.
 *
 * @example
 * ```ts
 * import { SecretToken } from "@platform-rpc/client";
 *
 * const secret = new SecretToken(token);
 * console.log(secret, `${secret}`, JSON.stringify({ secret }));
 * // [redacted] [redacted] {"secret":"[redacted]"}
 * console.log(secret.reveal() === token);
 * // true
 * ```
 */
export class SecretToken {
  /** Returns the token. Use it only to send the token. A closure, because browser consoles show private fields. */
  readonly reveal: () => string;
  /** When the token expires; undefined when unknown. */
  readonly expiresAt: Date | undefined;

  /** Wraps a token. */
  constructor(token: string, expiresAt?: Date) {
    this.reveal = () => token;
    this.expiresAt = expiresAt;
  }

  /** Returns "[redacted]". */
  toString(): string {
    return redacted;
  }

  /** Returns "[redacted]". */
  toJSON(): string {
    return redacted;
  }

  /** Returns "[redacted]", for the console of Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}
