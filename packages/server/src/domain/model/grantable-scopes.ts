import type { OauthClient } from "./access.js";

/** The scopes that each operation requires, by operation. */
export type RequiredScopes = ReadonlyMap<string, readonly string[]>;

/** The part of a rule's input that does not depend on the caller. Ids are generated before the decision: rules are deterministic. */
export interface NewGrantInput {
  /** Ids for the grant, if this call creates one. */
  readonly grantId: string;
  readonly accessTokenId: string;
  readonly brokerTokenId: string;
  /** The `kid` of the current signing key. */
  readonly keyId: string;
  /** The scopes that each operation requires. Only scopes of the OAuth client's allowed operations are ever granted. */
  readonly requiredScopes: RequiredScopes;
}

/** Returns the scopes of the operations that an OAuth client may call. None for a disabled or unknown one. */
export function clientScopes(oauthClient: OauthClient | undefined, requiredScopes: RequiredScopes): string[] {
  if (oauthClient?.enabled !== true) return [];
  return oauthClient.allowedOperations.flatMap((operation) => requiredScopes.get(operation) ?? []);
}
