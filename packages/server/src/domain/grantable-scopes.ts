import type { OauthClient } from "./access.js";

/** The scopes that each operation requires, by operation. */
export type RequiredScopes = ReadonlyMap<string, readonly string[]>;

/** Returns the scopes of the operations that an OAuth client may call. None for a disabled or unknown one. */
export function clientScopes(oauthClient: OauthClient | undefined, requiredScopes: RequiredScopes): string[] {
  if (oauthClient?.enabled !== true) return [];
  return oauthClient.allowedOperations.flatMap((operation) => requiredScopes.get(operation) ?? []);
}
