/** The longest life of a token, in seconds. */
export const longestTokenLife = 900;

/**
 * What tokens are made of. Tokens themselves are never stored: they are signed from this row after the commit, and
 * since Ed25519 is deterministic the same row always gives the same bytes.
 */
export interface Grant {
  readonly grantId: string;
  readonly tenantId: string;
  /** In whose name the tokens act. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** Sorted, each once. */
  readonly scopes: readonly string[];
  /** The key that signs, by its `kid`. */
  readonly keyId: string;
  /** Seconds since the epoch, as in a JWT. */
  readonly issuedAt: number;
  /** Seconds since the epoch, as in a JWT. */
  readonly expiresAt: number;
  readonly accessTokenId: string;
  /** Empty when the grant has no broker token. */
  readonly brokerTokenId: string;
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty when there is none. */
  readonly popKeyId: string;
}

/** What a decision about a token needs to know. */
export interface TokenSnapshot {
  /** The grant that the token belongs to, if it is one of ours. */
  readonly grant: Grant | undefined;
}

/** Sorted, each once: the one way in which scopes are kept. */
export function normalizeScopes(scopes: Iterable<string>): string[] {
  return [...new Set(scopes)].sort();
}
