/** The lifetime of granted tokens, and the default lifetime of issued access tokens, in seconds. */
export const longestTokenLife = 900;

/**
 * The data of an access token and a broker token. Tokens are never stored: they are signed from this row after the commit.
 * Ed25519 is deterministic, so the same row always gives the same bytes.
 */
export interface Grant {
  readonly grantId: string;
  readonly tenantId: string;
  /** The principal on whose behalf the tokens act. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** Sorted, without duplicates. */
  readonly scopes: readonly string[];
  /** The `kid` of the signing key. */
  readonly keyId: string;
  /** Seconds since the epoch, as in a JWT. */
  readonly issuedAt: number;
  /** Seconds since the epoch, as in a JWT. */
  readonly expiresAt: number;
  readonly accessTokenId: string;
  /** Empty when the grant has no broker token. */
  readonly brokerTokenId: string;
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty without such a key. */
  readonly popKeyId: string;
}

/** The data for a decision about a token. */
export interface TokenSnapshot {
  /** The grant of the token; undefined for an unknown or foreign token. */
  readonly grant: Grant | undefined;
}

/** Sorts scopes and removes duplicates: the stored form of scopes. */
export function normalizeScopes(scopes: Iterable<string>): string[] {
  return [...new Set(scopes)].sort();
}
