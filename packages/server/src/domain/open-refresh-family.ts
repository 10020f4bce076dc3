import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { type Decision, unchanged } from "./decision.js";
import type { Grant } from "./grant.js";
import { currentRecord, type RecordSnapshot } from "./record.js";
import { familyOfRecord, newFamily, type RefreshFamily, recordOfFamily } from "./refresh-family.js";
import { defineRule } from "./rule.js";

export const openRefreshFamily = defineRule("openRefreshFamily", decideOpenRefreshFamily);

/**
 * Opens the refresh family of a grant. For a retry, returns the family that exists, if it still is as it was opened. Undefined if it
 * was used or revoked since.
 */
export function decideOpenRefreshFamily(
  snapshot: RecordSnapshot,
  grant: Grant,
  actor: Actor,
  now: number,
): Decision<RefreshFamily | undefined> {
  // A revoked family is stored as an expired record, and must not be opened again.
  if (snapshot.record !== undefined) {
    const current = currentRecord(snapshot, now);
    const family = current === undefined ? undefined : familyOfRecord(current);
    return unchanged(family?.generation === 1 ? family : undefined);
  }
  const family = newFamily(grant, now);
  return {
    outcome: family,
    writes: [
      { kind: "record", record: { ...recordOfFamily(family), revision: 1 } },
      audit(actor, now, {
        subjectTenantId: family.tenantId,
        subject: `refresh-family:${family.familyId}`,
        event: "opened",
        versionAfter: family.generation,
      }),
    ],
  };
}
