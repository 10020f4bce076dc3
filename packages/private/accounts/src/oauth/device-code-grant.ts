import { oauthCall } from "../http/call-of.js";
import { OAuthError } from "../http/oauth-error.js";
import { type GrantRequest, retryKey, tokenResponse, wrongTarget } from "./grant.js";
import type { OAuthParts } from "./oauth-parts.js";
import { keyRequired } from "./proof-reader.js";
import { required } from "./read-form.js";

/** Redeems a device code (RFC 8628 sections 3.4 and 3.5). @throws OAuthError */
export async function deviceCodeGrant(
  parts: OAuthParts,
  { context, form, oauthClientId, proofKeyId, target }: GrantRequest,
) {
  const { operations, tenantId } = parts;
  // The page of the device has named the API.
  if (target === "mcp") throw wrongTarget();
  const deviceCode = required(form, "device_code");
  const idempotencyKey = retryKey(context, proofKeyId);
  const call = oauthCall(context, { tenantId, oauthClientId });
  const result = await operations.redeemDeviceCode({ deviceCode, idempotencyKey, proofKeyId }, call);
  if (!result.ok) {
    switch (result.reason) {
      case "PROOF_KEY_REQUIRED":
        throw keyRequired(proofKeyId);
      case "PRINCIPAL_DISABLED":
        throw new OAuthError("access_denied", "The account of the user who approved is not active. Stop polling.");
      default:
        throw new OAuthError("invalid_grant", "The device code is unknown, or was used. Start a new authorization.");
    }
  }
  switch (result.status) {
    case "approved":
      return tokenResponse(parts, result, target ?? "api");
    case "authorization_pending":
      throw new OAuthError("authorization_pending", "The user has not decided yet. Poll again after the interval.");
    case "slow_down":
      throw new OAuthError("slow_down", "You poll too often. Wait 5 seconds more before each poll.");
    case "access_denied":
      throw new OAuthError("access_denied", "The user or a policy denied the request. Stop polling.");
    case "expired_token":
      throw new OAuthError("expired_token", "The device code has expired. Start a new device authorization.");
  }
}
