import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged } from "./model/decision.js";
import { delegations } from "./model/delegation.js";
import { findValidGrant } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { findFamily } from "./model/refresh-family.js";
import { revocationOf, revocationWithFamily } from "./revoke-refresh-family.js";
import { defineRule } from "./rule.js";

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
