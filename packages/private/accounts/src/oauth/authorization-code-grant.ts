import { oauthCall } from "../http/call-of.js";
import { OAuthError } from "../http/oauth-error.js";
import { type GrantRequest, retryKey, targetOf, tokenResponse, wrongTarget } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import { keyRequired } from "./proof-reader.js";
import { required } from "./read-form.js";

/** Redeems an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). @throws OAuthError */
export async function authorizationCodeGrant(
  parts: OAuthParts,
  { context, form, oauthClientId, proofKeyId, target }: GrantRequest,
) {
  const { operations, tenantId } = parts;
  const request = {
    code: required(form, "code"),
    codeVerifier: required(form, "code_verifier"),
    redirectUri: form.get("redirect_uri"),
    resource: target,
    idempotencyKey: retryKey(context, proofKeyId),
    proofKeyId,
  };
  const result = await operations.redeemAuthorizationCode(request, oauthCall(context, { tenantId, oauthClientId }));
  if (result.ok) return tokenResponse(parts, result, targetOf(result));
  switch (result.reason) {
    case "PROOF_KEY_REQUIRED":
      throw keyRequired(proofKeyId);
    case "RESOURCE_NOT_APPROVED":
      throw wrongTarget();
    case "PRINCIPAL_DISABLED":
      throw new OAuthError("invalid_grant", "The account of the user who approved is not active.");
    case "SCOPES_NOT_GRANTED":
      throw new OAuthError("invalid_grant", "The client may no longer have any of the scopes. Ask an administrator.");
    case "CODE_REUSED": {
      const description =
        "The code was used before, so that everything it gave was revoked. Start a new authorization.";
      throw new OAuthError("invalid_grant", description);
    }
    case "CODE_INVALID": {
      const description =
        "The code is unknown or has expired, belongs to another client, redirect URI or code verifier, or the user has changed the access since. Start a new authorization.";
      throw new OAuthError("invalid_grant", description);
    }
  }
}
