import { oauthCall } from "../http/call-of.js";
import { OAuthError } from "../http/oauth-error.js";
import { invalidClient } from "./find-client.js";
import { type GrantRequest, targetOf, tokenResponse, wrongTarget } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import { keyRequired } from "./proof-reader.js";
import { required } from "./read-form.js";
import { noScope, readScopes } from "./scopes.js";

/** Exchanges a refresh token for the next one and a new access token (RFC 6749 section 6). @throws OAuthError */
export async function refreshTokenGrant(
  parts: OAuthParts,
  { context, form, oauthClientId, proofKeyId, target }: GrantRequest,
) {
  const { operations, tenantId } = parts;
  const refreshToken = required(form, "refresh_token");
  const { named: scopes } = readScopes(form);
  const call = oauthCall(context, { tenantId, oauthClientId });
  const asked = { refreshToken, proofKeyId, scopes, resource: target, resourceByName: target === "mcp" };
  const result = await operations.refreshTokens(asked, call);
  if (result.ok) return tokenResponse(parts, result, target ?? targetOf(result));
  switch (result.reason) {
    case "PROOF_KEY_REQUIRED":
      throw keyRequired(proofKeyId);
    case "RESOURCE_NOT_APPROVED":
      throw wrongTarget();
    case "OAUTH_CLIENT_DISABLED":
      throw invalidClient("The client was disabled. Ask an administrator.");
    case "SCOPES_NOT_GRANTED":
      throw noScope();
    default:
      throw new OAuthError("invalid_grant", "The refresh token has expired, was revoked, or was used. Sign in again.");
  }
}
