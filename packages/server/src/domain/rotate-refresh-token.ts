import { isActive, oauthClients } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { sameBounds } from "./model/bounds.js";
import { largestClockSkew } from "./model/clock-skew.js";
import { type Decision, unchanged } from "./model/decision.js";
import { delegations, hasEnded } from "./model/delegation.js";
import {
  type Grant,
  type GrantedDelegation,
  grantExpiry,
  grantWrites,
  isRevoked,
  normalizeScopes,
  revokeGrant,
} from "./model/grant.js";
import { clientScopes, type NewGrantInput } from "./model/grantable-scopes.js";
import type { Records } from "./model/record.js";
import {
  addGrant,
  findFamily,
  grantIdOf,
  isReplacedJustNow,
  type RefreshFamily,
  refreshFamilies,
  replaceGeneration,
} from "./model/refresh-family.js";
import { revocationOf } from "./revoke-access.js";
import { defineRule } from "./rule.js";

export interface RotateInput extends NewGrantInput {
  /** The RFC 7638 thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
  readonly familyId: string;
  /** The generation of the refresh token, which this server issued. */
  readonly generation: number;
  /** The scopes wanted for the new access token. Those that may not be granted are left out. Undefined: all that may be granted. */
  readonly scopes: readonly string[] | undefined;
  /** The resource that the tokens are wanted for. Undefined: the one that was approved. */
  readonly resource?: string | undefined;
  /** Whether the family must be for the resource by its name. Default: a family without one is for every resource. */
  readonly resourceByName?: boolean | undefined;
}

/** The grant of the new access token and the generation of the new refresh token, or why the refresh token was rejected. */
export type RotateOutcome =
  | { readonly ok: true; readonly grant: Grant; readonly generation: number; readonly resource: string | undefined }
  | {
      readonly ok: false;
      /**
       * - `REFRESH_TOKEN_INVALID`: its family does not exist, has expired, or was revoked, or its delegation has ended.
       * - `REFRESH_TOKEN_REUSED`: its successor is in use, and was not issued just now, or it belongs to another OAuth client. Its
       *   family is revoked.
       * - `RESOURCE_NOT_APPROVED`: its family is for another resource than the tokens that are wanted.
       * - `PROOF_KEY_REQUIRED`: its family is bound to a key, of which the caller has no proof.
       * - `SCOPES_NOT_GRANTED`: none of the scopes was approved and may be granted now.
       */
      readonly reason:
        | "REFRESH_TOKEN_INVALID"
        | "REFRESH_TOKEN_REUSED"
        | "RESOURCE_NOT_APPROVED"
        | "PROOF_KEY_REQUIRED"
        | "OAUTH_CLIENT_DISABLED"
        | "PRINCIPAL_DISABLED"
        | "SCOPES_NOT_GRANTED";
    };

export const rotateRefreshToken = defineRule(decideRotation);

/**
 * Exchanges a refresh token for the next one of its family and a new access token (RFC 6749 section 6, RFC 9700 section 4.14.2).
 *
 * A token that was replaced gets the same successor again, at any time, so that a lost response does not end the session: see
 * `repeatable`. Any other use of a replaced token means that it was stolen: the family is revoked.
 */
export function decideRotation(
  records: Records,
  input: RotateInput,
  actor: Actor,
  now: number,
): Decision<RotateOutcome> {
  const family = findFamily(records, actor.tenantId, input.familyId, now);
  if (family === undefined) return rejected("REFRESH_TOKEN_INVALID");
  const { generation, proofKeyId } = input;
  const reused = (why: string): Decision<RotateOutcome> => ({
    outcome: { ok: false, reason: "REFRESH_TOKEN_REUSED" },
    writes: revocationOf(records, family, why, actor, now),
  });
  if (family.oauthClientId !== actor.oauthClientId) return reused("refresh token used by another OAuth client");
  const keyProved = family.popKeyId === "" || family.popKeyId === proofKeyId;
  // A later generation than the stored one exists if the storage has lost its last commits. It is as good as the current one.
  const replaced = generation < family.generation;
  if (replaced && !(keyProved && repeatable(family, generation, now)))
    return reused("replaced refresh token used again");
  if (!keyProved) return rejected("PROOF_KEY_REQUIRED");
  const { resource } = family;
  const named = resource !== undefined || input.resourceByName === true;
  if (named && (input.resource ?? resource) !== resource) return rejected("RESOURCE_NOT_APPROVED");
  const oauthClient = oauthClients.find(records, family.tenantId, family.oauthClientId);
  if (oauthClient?.enabled !== true) return rejected("OAUTH_CLIENT_DISABLED");
  if (!isActive(records, family.tenantId, family.principalId)) return rejected("PRINCIPAL_DISABLED");

  const delegation = currentDelegation(records, family.newestGrant, now);
  if (delegation === "ended") return rejected("REFRESH_TOKEN_INVALID");

  const { scopes: wanted = family.scopes } = input;
  const open = clientScopes(oauthClient, input.requiredScopes);
  const scopes = normalizeScopes(wanted.filter((scope) => family.scopes.includes(scope) && open.includes(scope)));
  if (scopes.length === 0) return rejected("SCOPES_NOT_GRANTED");

  const current = replaced ? family : replaceGeneration(family, generation, now);
  const grant = grantOf(current, input, { scopes, delegation }, now);
  const successor = generation + 1;
  const { newestGrant } = family;
  const stillValid = accepted(newestGrant, now) && !isRevoked(records, family.tenantId, newestGrant.grantId);
  if (replaced && stillValid && sameGrant(newestGrant, grant)) {
    return unchanged({ ok: true, grant: newestGrant, generation: successor, resource });
  }
  const { family: next, surplus } = addGrant(current, grant, now);
  return {
    outcome: { ok: true, grant, generation: successor, resource },
    writes: [
      refreshFamilies.put(records, next, now),
      ...grantWrites(grant, now),
      ...surplus.flatMap((live) => revokeGrant(records, { ...family, ...live }, now)),
      audit(actor, now, {
        subjectTenantId: family.tenantId,
        subject: `grant:${grant.grantId}`,
        event: `granted by refresh-family:${family.familyId}`,
        versionBefore: family.generation,
        versionAfter: next.generation,
      }),
    ],
  };
}

function rejected(reason: Extract<RotateOutcome, { ok: false }>["reason"]): Decision<RotateOutcome> {
  return unchanged({ ok: false, reason });
}

/**
 * Returns whether the answer to a replaced token may be repeated: its successor, and the access tokens that were issued with it, have
 * not been used, so nobody is known to have received them. With the key of the family, only the successor counts: nobody else can
 * have received it. Without a key, another process of the program may have received it just now.
 */
function repeatable(family: RefreshFamily, generation: number, now: number): boolean {
  if (isReplacedJustNow(family, generation, now)) return true;
  return generation === family.generation - 1 && (family.popKeyId !== "" || family.usedAt === undefined);
}

/** Returns the delegation of a family, with its bounds as they are now. Undefined: the family has none. */
function currentDelegation(
  records: Records,
  { tenantId, delegation }: Grant,
  now: number,
): GrantedDelegation | "ended" | undefined {
  if (delegation === undefined) return undefined;
  const { delegationId } = delegation;
  const stored = delegations.find(records, tenantId, delegationId);
  return stored === undefined || hasEnded(stored, now) ? "ended" : { delegationId, bounds: stored.bounds };
}

/** Returns the grant of a new access token. It ends with its family. */
function grantOf(
  family: RefreshFamily,
  input: RotateInput,
  { scopes, delegation }: Pick<Grant, "scopes" | "delegation">,
  now: number,
): Grant {
  const { tenantId, principalId, oauthClientId, newestGrant } = family;
  const { keyId, accessTokenId, brokerTokenId, proofKeyId: popKeyId } = input;
  const issuedAt = Math.floor(now / 1000);
  const expiresAt = Math.min(grantExpiry(issuedAt, delegation?.bounds), Math.floor(family.expiresAt / 1000));
  return {
    grantId: grantIdOf(input.grantId, family),
    tenantId,
    principalId,
    oauthClientId,
    scopes,
    keyId,
    issuedAt,
    expiresAt,
    accessTokenId,
    brokerTokenId,
    popKeyId,
    ...(delegation !== undefined && { delegation }),
    ...(newestGrant.device !== undefined && { device: newestGrant.device }),
  };
}

/** Returns whether two grants differ only in their ids and times. */
function sameGrant(one: Grant, two: Grant): boolean {
  return (
    one.popKeyId === two.popKeyId &&
    one.scopes.join(" ") === two.scopes.join(" ") &&
    sameBounds(one.delegation?.bounds, two.delegation?.bounds)
  );
}

/** Returns whether the lifetime of a grant's tokens has begun and not ended. */
function accepted({ issuedAt, expiresAt }: Grant, now: number): boolean {
  return now < expiresAt * 1000 && issuedAt * 1000 <= now + largestClockSkew;
}
