import type { OauthClient, RegisteredOauthClient } from "../domain/model/access.js";
import type { Grant } from "../domain/model/grant.js";

/** The registration of an OAuth client that uses the device grant only. */
export const withoutCodeGrant: Pick<OauthClient, "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"> =
  {
    redirectUris: [],
    grantTypes: [],
    requirePushedAuthorizationRequests: false,
  };

/** Returns an enabled OAuth client that uses the device grant only. */
export function oauthClientOf(change: Partial<RegisteredOauthClient> = {}): RegisteredOauthClient {
  const client = { tenantId: "t-1", oauthClientId: "c-1", name: "Agent", allowedOperations: [], enabled: true };
  return { ...client, ...withoutCodeGrant, registeredAt: 0, registeredBy: "", ...change };
}

/** Returns a grant that begins a second after the epoch and lasts 15 minutes. */
export function grantOf(change: Partial<Grant> = {}): Grant {
  const owner = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", scopes: [], popKeyId: "" };
  const tokens = { keyId: "k-1", accessTokenId: "jti-a", brokerTokenId: "jti-b" };
  return { ...owner, ...tokens, grantId: "g-1", issuedAt: 1, expiresAt: 901, ...change };
}
