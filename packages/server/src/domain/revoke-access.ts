import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged, type Write } from "./model/decision.js";
import { delegations } from "./model/delegation.js";
import { findValidGrant, type Grant, revokeGrant } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { findFamily, type RefreshFamily, refreshFamilies } from "./model/refresh-family.js";
import { defineRule } from "./rule.js";

export const revokeRefreshFamily = defineRule(decideRevokeRefreshFamily);

/**
 * Revokes a refresh family with all of its access tokens, unless it belongs to another OAuth client. Revoking one that does not exist
 * succeeds (RFC 7009 section 2.2).
 */
function decideRevokeRefreshFamily(
  records: Records,
  familyId: string,
  actor: Actor,
  now: number,
): Decision<{ readonly ok: boolean }> {
  const family = findFamily(records, actor.tenantId, familyId, now);
  if (family === undefined) return unchanged({ ok: true });
  if (family.oauthClientId !== actor.oauthClientId) return unchanged({ ok: false });
  return { outcome: { ok: true }, writes: revocationOf(records, family, "signed out", actor, now) };
}

/** Returns the writes that revoke a family, and all of its access tokens that may be valid. None for a family that has ended. */
export function revocationOf(
  records: Records,
  family: RefreshFamily | undefined,
  why: string,
  actor: Actor,
  now: number,
): readonly Write[] {
  if (family === undefined) return [];
  const { generation } = family;
  return [
    // An expired record counts as absent. This one has expired at any time, also when the clock is set back.
    refreshFamilies.put(records, { ...family, liveGrants: [], expiresAt: 0 }, now),
    ...family.liveGrants.flatMap((grant) => revokeGrant(records, { ...family, ...grant }, now)),
    audit(actor, now, {
      subjectTenantId: family.tenantId,
      subject: `refresh-family:${family.familyId}`,
      event: `revoked: ${why}`,
      versionBefore: generation,
      versionAfter: generation,
    }),
  ];
}

/**
 * Returns the writes that revoke a grant, and the family that it has opened, because somebody else has used its code. None if neither is
 * valid.
 */
export function revocationWithFamily(
  records: Records,
  grant: Grant,
  why: string,
  actor: Actor,
  now: number,
): readonly Write[] {
  const { tenantId, grantId } = grant;
  const family = findFamily(records, tenantId, grantId, now);
  const ofGrant = revokeGrant(records, grant, now);
  const ofFamily = family?.liveGrants.some((live) => live.grantId === grantId) === true;
  return [
    ...(ofFamily ? [] : ofGrant),
    ...(ofGrant.length === 0
      ? []
      : [audit(actor, now, { subjectTenantId: tenantId, subject: `grant:${grantId}`, event: `revoked: ${why}` })]),
    ...revocationOf(records, family, why, actor, now),
  ];
}

export const removeAccess = defineRule(decideRemoveAccess);

/**
 * Ends an approval of the calling principal for good: its delegation, its refresh family and its grant, which have one id. Removing one
 * that is unknown or has ended succeeds; one of another principal does not.
 */
function decideRemoveAccess(
  records: Records,
  approvalId: string,
  actor: Actor,
  now: number,
): Decision<{ readonly ok: boolean }> {
  const { tenantId, principalId } = actor;
  const delegation = delegations.find(records, tenantId, approvalId);
  const family = findFamily(records, tenantId, approvalId, now);
  const valid = findValidGrant(records, tenantId, approvalId);
  const grant = valid && now < 1000 * valid.expiresAt ? valid : undefined;
  const isForeign = [delegation, family, grant].some((found) => found && found.principalId !== principalId);
  if (isForeign) return unchanged({ ok: false });
  const why = "ended by its principal";
  const ended =
    delegation === undefined || delegation.endedAt !== undefined
      ? []
      : [
          delegations.put(records, { ...delegation, endedAt: now }, now),
          audit(actor, now, { subjectTenantId: tenantId, subject: `delegation:${approvalId}`, event: "ended" }),
        ];
  const revoked =
    grant === undefined || family !== undefined
      ? revocationOf(records, family, why, actor, now)
      : revocationWithFamily(records, grant, why, actor, now);
  return { outcome: { ok: true }, writes: [...ended, ...revoked] };
}
