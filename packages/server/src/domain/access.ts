/** An OAuth client: the software that calls, and the operations that the policy lets it call. */
export interface OauthClient {
  readonly tenantId: string;
  readonly oauthClientId: string;
  /** What users are shown when they are asked to approve. */
  readonly name: string;
  /** As `platform.v1.VaultService/DeleteItem`. */
  readonly allowedOperations: readonly string[];
  readonly enabled: boolean;
}

/** Someone in whose name calls are made. One that was never set is not active. */
export interface Principal {
  readonly tenantId: string;
  readonly principalId: string;
  readonly active: boolean;
}

/** What a token claims, once its signature, issuer, audience and expiry have been found right. */
export interface TokenClaims {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti`. */
  readonly tokenId: string;
  /** The grant that the token belongs to; empty in a token of a foreign issuer. */
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What the platform knows, at this moment, about those whom a token names. */
export interface AccessState {
  readonly oauthClient: OauthClient | undefined;
  readonly principalActive: boolean;
  /** True when the token or its grant is revoked, or when the grant that it claims does not exist. */
  readonly revoked: boolean;
}

/** What an operation demands of its callers, read from the contract. */
export interface OperationPolicy {
  /** As `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  readonly requiredScopes: readonly string[];
}

/** Whether the token still speaks for someone: neither revoked nor of an inactive principal. */
export function tokenStands(access: AccessState): boolean {
  return access.principalActive && !access.revoked;
}

/** Whether the policy allowlists the token for an operation. Deny by default. */
export function allowlisted(access: AccessState, operation: string): boolean {
  return access.oauthClient?.enabled === true && access.oauthClient.allowedOperations.includes(operation);
}

/** The scopes that the token lacks for an operation. Compared exactly: there are no wildcards. */
export function missingScopes(held: readonly string[], policy: OperationPolicy): string[] {
  return policy.requiredScopes.filter((scope) => !held.includes(scope));
}
