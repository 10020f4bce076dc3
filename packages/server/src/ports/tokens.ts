import type { AccessState, TokenClaims } from "../domain/model/access.js";
import type { Grant } from "../domain/model/grant.js";

/** Signs tokens from grants. */
export interface TokenIssuer {
  /** Returns the `kid` of the current signing key. */
  currentKeyId(): string;
  /** Signs the grant's access token, for this API. The same grant always gives the same bytes. */
  signAccessToken(grant: Grant): Promise<string>;
  /** Signs the grant's broker token, for brokers. The same grant always gives the same bytes. */
  signBrokerToken(grant: Grant): Promise<string>;
}

/** Verifies tokens for this API. */
export interface TokenVerifier {
  /**
   * Checks signature, `typ`, issuer, audience and expiry, without leeway. Resolves with the claims, or undefined when any
   * check fails. Never rejects because of the token's content.
   */
  verify(token: string): Promise<TokenClaims | undefined>;
}

export interface ProofKeys {
  /**
   * Returns the RFC 7638 thumbprint (SHA-256, base64url) of a public P-256 or Ed25519 key given as JWK text. Undefined
   * when the text is not such a key, or contains private key material.
   */
  thumbprint(jwk: string): Promise<string | undefined>;
}

/** The claims of a token and the current state of its subjects. */
export interface Authenticated {
  readonly claims: TokenClaims;
  readonly access: AccessState;
}

/** Authenticates the bearer of a token. */
export interface Authenticator {
  /**
   * Returns the claims of a token and the state of its subjects; undefined when the token is invalid, revoked, or of an inactive
   * principal. Returns without a promise when the token is cached.
   *
   * @param token everything after the scheme of an Authorization header: untrusted, of any length, and possibly malformed.
   * @throws StorageError (as a rejection) when the state of the token's subjects cannot be read.
   */
  authenticate(token: string): Authenticated | undefined | Promise<Authenticated | undefined>;
}

/**
 * How a token was looked up: `hit` in the cache, `miss` with a verification and a read of the storage, or `joined` to a lookup of
 * the same token that had begun.
 */
export type TokenLookup = "hit" | "miss" | "joined";
