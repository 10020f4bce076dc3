import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Bounds, boundsOf, describeBounds, sameBounds } from "./model/bounds.js";
import { type Decision, unchanged, type Write } from "./model/decision.js";
import { type Delegation, delegations, newDelegation } from "./model/delegation.js";
import { revokeGrant } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { findFamily, type RefreshFamily, refreshFamilies } from "./model/refresh-family.js";
import { defineRule } from "./rule.js";

/** The delegation after the change, or why it was not changed. */
export type ChangeDelegationOutcome =
  | { readonly ok: true; readonly delegation: Delegation }
  | {
      readonly ok: false;
      /**
       * - `DELEGATION_NOT_FOUND`: it is unknown, of another person, or has ended for good.
       * - `DELEGATION_CHANGED`: its bounds are not the expected ones, because they were changed in between.
       */
      readonly reason: "DELEGATION_NOT_FOUND" | "DELEGATION_CHANGED";
    };

/** Either all new bounds, where an absent member removes its bound, or only the new number of deletions. */
export type DelegationChange =
  | {
      readonly bounds: Bounds;
      /** The bounds that the new ones replace; none for an approval without bounds. Undefined: whatever they are. */
      readonly expected?: Bounds | undefined;
    }
  | { readonly maxDeletions: number };

export const changeDelegation = defineRule(decideChangeDelegation);

/**
 * Changes the bounds of a delegation of the calling principal: they may be wider or narrower than before. What was used stays used. A
 * delegation whose time is over can be continued, one that was ended cannot. An approval without bounds gets some, if it can be renewed.
 */
function decideChangeDelegation(
  records: Records,
  delegationId: string,
  change: DelegationChange,
  actor: Actor,
  now: number,
): Decision<ChangeDelegationOutcome> {
  const { tenantId, principalId } = actor;
  const stored = delegations.find(records, tenantId, delegationId);
  const family = stored === undefined ? findFamily(records, tenantId, delegationId, now) : undefined;
  const delegation = stored ?? (family && newDelegation({ ...family, delegationId, bounds: {} }, now));
  if (delegation?.principalId !== principalId || delegation.endedAt !== undefined || now >= delegation.expiresAt) {
    return unchanged({ ok: false, reason: "DELEGATION_NOT_FOUND" });
  }
  const expected = "bounds" in change ? change.expected : undefined;
  if (expected !== undefined && !sameBounds(boundsOf(expected), boundsOf(delegation.bounds))) {
    return unchanged({ ok: false, reason: "DELEGATION_CHANGED" });
  }
  const bounds = "bounds" in change ? change.bounds : { ...delegation.bounds, ...change };
  const changed = { ...delegation, bounds: boundsOf(bounds) };
  return {
    outcome: { ok: true, delegation: changed },
    writes: [
      delegations.put(records, changed, now),
      ...(family === undefined ? [] : boundFamily(records, family, changed, now)),
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `delegation:${delegationId}`,
        event: `changed: ${describeBounds(changed.bounds)}`,
      }),
    ],
  };
}

/** Returns the writes that give a family its first delegation. Its access tokens name none, so they end: its software renews them. */
function boundFamily(
  records: Records,
  family: RefreshFamily,
  { delegationId, bounds }: Delegation,
  now: number,
): readonly Write[] {
  // A retry of the newest refresh gets other tokens, too.
  const newestGrant = { ...family.newestGrant, delegation: { delegationId, bounds }, expiresAt: 0 };
  return [
    refreshFamilies.put(records, { ...family, newestGrant, liveGrants: [] }, now),
    ...family.liveGrants.flatMap((grant) => revokeGrant(records, { ...family, ...grant }, now)),
  ];
}
