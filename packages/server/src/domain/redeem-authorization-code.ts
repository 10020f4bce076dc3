import { isActive, oauthClients } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type AuthorizationCode, authorizationCodes, isStillAllowed } from "./model/authorization-code.js";
import { replayable } from "./model/clock-skew.js";
import { type Decision, unchanged } from "./model/decision.js";
import { openDelegation } from "./model/delegation.js";
import { type Grant, grantExpiry, grantWrites, normalizeScopes } from "./model/grant.js";
import { clientScopes, type NewGrantInput } from "./model/grantable-scopes.js";
import type { Records } from "./model/record.js";
import { isSameRedirectUri } from "./model/redirect-uri.js";
import { findFamily, refreshFamilyLife } from "./model/refresh-family.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import { revocationWithFamily } from "./revoke-access.js";
import { defineRule } from "./rule.js";

export interface RedeemCodeInput extends NewGrantInput {
  readonly codeHash: string;
  /** The id of the grant, which the code contains. */
  readonly grantId: string;
  /** The redirect URI of the token request; undefined without one, as in OAuth 2.1. */
  readonly redirectUri: string | undefined;
  /** The code challenge (S256) of the code verifier of the token request. */
  readonly codeChallenge: string;
  /** The resource of the token request; undefined without one. */
  readonly resource: string | undefined;
  /** The RFC 7638 thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
  /** Identifies a retry: the hash of the proved key, or of the Idempotency-Key. Undefined: a retry gets nothing. */
  readonly retryKeyHash: string | undefined;
}

/** The grant of the tokens, whether a refresh token comes with them, and the approved resource, or why the code was rejected. */
export type RedeemCodeOutcome =
  | { readonly ok: true; readonly grant: Grant; readonly refreshable: boolean; readonly resource: string }
  | {
      readonly ok: false;
      /**
       * - `CODE_INVALID`: it is unknown, has expired, belongs to another OAuth client, is not for this request, or what it is derived from or keeps has changed.
       * - `CODE_REUSED`: it was used before. What it gave is revoked.
       * - `RESOURCE_NOT_APPROVED`: it is for another resource than the tokens that are wanted.
       * - `PROOF_KEY_REQUIRED`: it is bound to a key, of which the caller has no proof.
       * - `SCOPES_NOT_GRANTED`: none of the approved scopes may be granted now.
       */
      readonly reason:
        | "CODE_INVALID"
        | "CODE_REUSED"
        | "RESOURCE_NOT_APPROVED"
        | "PROOF_KEY_REQUIRED"
        | "PRINCIPAL_DISABLED"
        | "SCOPES_NOT_GRANTED";
    };

export const redeemAuthorizationCode = defineRule(decideRedeemCode);

/**
 * Redeems an authorization code for a grant and its refresh family, in one commit (RFC 6749 section 4.1.3, RFC 7636 section 4.6,
 * RFC 8707 section 2.2).
 *
 * A request that does not fit the code, such as one with a wrong code verifier, does not use it up: nobody can guess a verifier within
 * the life of a code. A second use of the code by anybody but its redeemer, who may have lost the answer, revokes what the first gave
 * (RFC 9700 section 2.1.1).
 */
function decideRedeemCode(
  records: Records,
  input: RedeemCodeInput,
  actor: Actor,
  now: number,
): Decision<RedeemCodeOutcome> {
  // An expired code is read, too, because its second use must be noticed.
  const code = authorizationCodes.find(records, actor.tenantId, input.codeHash);
  if (code?.grantId !== input.grantId) return rejected("CODE_INVALID");
  const fits = code.oauthClientId === actor.oauthClientId && isFor(code, input);
  const { resource, refreshable } = code;
  const approvedResource = (input.resource ?? resource) === resource;
  const keyProved = code.popKeyId === "" || code.popKeyId === input.proofKeyId;

  if (code.redemption !== undefined) {
    const family = findFamily(records, code.tenantId, code.grantId, now);
    const current = !refreshable || family?.generation === 1;
    const repeated = fits && approvedResource && keyProved && current && isRetry(code.redemption, input, now);
    const { grant } = code.redemption;
    if (repeated && maySignIn(records, grant, input)) {
      return unchanged({ ok: true, grant, refreshable, resource });
    }
    return {
      outcome: { ok: false, reason: "CODE_REUSED" },
      writes: revocationWithFamily(records, grant, "authorization code used again", actor, now),
    };
  }
  const { bounds, renewableUntil = now + refreshFamilyLife } = code;
  if (!fits || now >= Math.min(code.expiresAt, bounds?.expiresAt ?? code.expiresAt, renewableUntil)) {
    return rejected("CODE_INVALID");
  }
  if (!isStillAllowed(records, code, now)) return rejected("CODE_INVALID");
  if (!approvedResource) return rejected("RESOURCE_NOT_APPROVED");
  if (!keyProved) return rejected("PROOF_KEY_REQUIRED");
  if (!isActive(records, code.tenantId, code.principalId)) return rejected("PRINCIPAL_DISABLED");
  const open = clientScopes(oauthClients.find(records, code.tenantId, code.oauthClientId), input.requiredScopes);
  const scopes = normalizeScopes(code.scopes.filter((scope) => open.includes(scope)));
  if (scopes.length === 0) return rejected("SCOPES_NOT_GRANTED");

  const issuedAt = Math.floor(now / 1000);
  const grant: Grant = {
    grantId: code.grantId,
    tenantId: code.tenantId,
    principalId: code.principalId,
    oauthClientId: code.oauthClientId,
    scopes,
    keyId: input.keyId,
    issuedAt,
    expiresAt: grantExpiry(issuedAt, bounds),
    accessTokenId: input.accessTokenId,
    brokerTokenId: input.brokerTokenId,
    popKeyId: code.popKeyId || input.proofKeyId,
    ...(bounds !== undefined && { delegation: { delegationId: code.grantId, bounds } }),
    ...(code.device !== undefined && { device: code.device }),
  };
  const redemption = { grant, retryKeyHash: input.retryKeyHash, at: now };
  return {
    outcome: { ok: true, grant, refreshable, resource },
    writes: [
      authorizationCodes.put(records, { ...code, redemption }, now),
      ...grantWrites(grant, now),
      audit(actor, now, { subjectTenantId: code.tenantId, subject: `grant:${grant.grantId}`, event: "granted" }),
      ...openDelegation(grant, actor, now, refreshable ? renewableUntil : undefined),
      ...(refreshable ? openRefreshFamily(grant, actor, now, resource, renewableUntil) : []),
    ],
  };
}

function rejected(reason: Extract<RedeemCodeOutcome, { ok: false }>["reason"]): Decision<RedeemCodeOutcome> {
  return unchanged({ ok: false, reason });
}

/** Returns whether a token request belongs to the authorization request of a code. */
function isFor(code: AuthorizationCode, input: RedeemCodeInput): boolean {
  const { redirectUri = code.redirectUri, codeChallenge } = input;
  return isSameRedirectUri(redirectUri, code.redirectUri) && codeChallenge === code.codeChallenge;
}

/** Returns whether a request repeats a redemption whose answer may have been lost. */
function isRetry(
  { retryKeyHash, at }: NonNullable<AuthorizationCode["redemption"]>,
  input: RedeemCodeInput,
  now: number,
): boolean {
  return retryKeyHash !== undefined && retryKeyHash === input.retryKeyHash && replayable(at, now);
}

/** Returns whether the grant would be possible now. */
function maySignIn(
  records: Records,
  { tenantId, principalId, oauthClientId, scopes }: Grant,
  { requiredScopes }: RedeemCodeInput,
): boolean {
  const open = clientScopes(oauthClients.find(records, tenantId, oauthClientId), requiredScopes);
  return isActive(records, tenantId, principalId) && scopes.every((scope) => open.includes(scope));
}
