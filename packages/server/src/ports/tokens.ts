import type { AccessState, TokenClaims } from "../domain/access.js";
import type { Grant } from "../domain/grant.js";

/** Signs tokens from what grants keep of them. */
export interface TokenIssuer {
  /** The `kid` of the key that signs now. */
  currentKeyId(): string;
  /** The grant's access token, for this interface. The same grant always gives the same bytes. */
  signAccessToken(grant: Grant): Promise<string>;
  /** The grant's broker token, for brokers. The same grant always gives the same bytes. */
  signBrokerToken(grant: Grant): Promise<string>;
}

/** Tells whether a token is one that this interface accepts, and what it claims. */
export interface TokenVerifier {
  /**
   * Checks signature, `typ`, issuer, audience and expiry, without leeway. Undefined: not acceptable, for whatever
   * reason. Never rejects because of what the token holds.
   */
  verify(token: string): Promise<TokenClaims | undefined>;
}

/** Reads proof-of-possession keys. */
export interface ProofKeys {
  /**
   * The RFC 7638 thumbprint (SHA-256, base64url) of a public key given as JWK text: P-256 or Ed25519. Undefined when it
   * is none, or holds a private member.
   */
  thumbprint(jwk: string): Promise<string | undefined>;
}

/** What a token was found to say, and how those whom it names stand now. */
export interface Authenticated {
  readonly claims: TokenClaims;
  readonly access: AccessState;
}

/** Tells who a token speaks for. */
export interface Authenticator {
  /**
   * Undefined: for nobody, be it that the token is not acceptable, revoked, or of an inactive principal. Answers at
   * once, without a promise, when it has seen the token lately.
   *
   * @throws StorageError (as a rejection) when it cannot be known how those whom the token names stand.
   */
  authenticate(token: string): Authenticated | undefined | Promise<Authenticated | undefined>;
}
