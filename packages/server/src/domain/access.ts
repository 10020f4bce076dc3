/** An OAuth client: the calling software, and the operations it may call. */
export interface OauthClient {
  readonly tenantId: string;
  readonly oauthClientId: string;
  /** The name that users see when they are asked to approve. */
  readonly name: string;
  /** Full names, such as `platform.v1.VaultService/DeleteItem`. */
  readonly allowedOperations: readonly string[];
  readonly enabled: boolean;
  /** Where the authorization code grant may send the browser: at most 10. Empty: the client cannot use that grant. */
  readonly redirectUris: readonly string[];
  /**
   * The grants that the client may use, with their names of RFC 7591 section 2. Empty: all of them. If `refresh_token` is among them,
   * the authorization code grant gives a refresh token also without the scope `offline_access`.
   */
  readonly grantTypes: readonly string[];
  /** Whether the client must push its authorization requests (RFC 9126 section 6). */
  readonly requirePushedAuthorizationRequests: boolean;
}

/** The data for a decision about an OAuth client. */
export interface OauthClientSnapshot {
  readonly oauthClient: OauthClient | undefined;
}

/** An OAuth client as stored. Replacing it keeps who registered it, and when. */
export interface RegisteredOauthClient extends OauthClient {
  /** When it was created, in milliseconds since the epoch; 0 if that was not recorded. */
  readonly registeredAt: number;
  /** The principal that created it; empty if that was not recorded. */
  readonly registeredBy: string;
}

/** A user or service on whose behalf calls are made. An unknown principal is inactive. */
export interface Principal {
  readonly tenantId: string;
  readonly principalId: string;
  readonly active: boolean;
}

/** The claims of a token whose signature, issuer, audience and expiry have been verified. */
export interface TokenClaims {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti`. */
  readonly tokenId: string;
  /** The grant of the token; empty in a token of another issuer. */
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The current state of a token and its subjects. */
export interface AccessState {
  readonly oauthClient: RegisteredOauthClient | undefined;
  readonly principalActive: boolean;
  /** True when the token or its grant is revoked, or when its grant does not exist. */
  readonly revoked: boolean;
}

/** What the contract requires of an operation's callers. */
export interface OperationPolicy {
  /** The full name, such as `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  readonly requiredScopes: readonly string[];
}

/** Returns whether a token is valid: not revoked, and of an active principal. */
export function isTokenValid(access: AccessState): boolean {
  return access.principalActive && !access.revoked;
}

/** Returns whether the token's OAuth client is enabled and may call an operation. Deny by default. */
export function allowlisted(access: AccessState, operation: string): boolean {
  return access.oauthClient?.enabled === true && access.oauthClient.allowedOperations.includes(operation);
}

/** Returns the scopes that an operation requires and the token lacks. Compared exactly: there are no wildcards. */
export function missingScopes(held: readonly string[], policy: OperationPolicy): string[] {
  return policy.requiredScopes.filter((scope) => !held.includes(scope));
}
