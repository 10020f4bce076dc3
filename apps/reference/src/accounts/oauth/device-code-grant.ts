import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { oauthCall } from "./oauth-call.js";
import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { keyRequired } from "./proof-reader.js";
import { type Form, required } from "./read-form.js";
import type { Target } from "./target.js";
import { tokenResponse } from "./token-response.js";

const idempotencyKeyPattern = /^[\x21-\x7e]{16,128}$/;

/** A request for tokens, whose client and proof were checked. */
export interface GrantRequest {
  readonly context: Context<AccountsEnvironment>;
  readonly form: Form;
  readonly oauthClientId: string;
  /** The thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
  /** What the tokens are wanted for; undefined if the request does not name it. */
  readonly target: Target | undefined;
}

/** Redeems a device code (RFC 8628 sections 3.4 and 3.5). @throws OAuthError */
export async function deviceCodeGrant(
  { operations, tenantId, clock }: OAuthParts,
  { context, form, oauthClientId, proofKeyId, target }: GrantRequest,
) {
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
      return tokenResponse(result, target ?? "api", clock.now());
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

/**
 * Returns what identifies a retry, so that a lost response can be fetched again for a minute: the key that the caller proves to
 * have. A caller without a key can send an Idempotency-Key, like those of the API. Without either, a second request with the code
 * gets nothing: anyone who has seen the first one could send it.
 */
export function retryKey(context: Context<AccountsEnvironment>, proofKeyId: string): string | undefined {
  if (proofKeyId !== "") return `dpop ${proofKeyId}`;
  const sent = context.req.header("Idempotency-Key");
  if (sent === undefined || idempotencyKeyPattern.test(sent)) return sent;
  throw new OAuthError("invalid_request", "The Idempotency-Key header must be 16 to 128 visible ASCII characters.");
}
