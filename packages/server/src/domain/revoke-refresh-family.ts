import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import { currentRecord, type RecordSnapshot } from "./record.js";
import { familyOfRecord, recordOfFamily } from "./refresh-family.js";
import { defineRule } from "./rule.js";

export const revokeRefreshFamily = defineRule("revokeRefreshFamily", decideRevokeRefreshFamily);

/** Who revokes a refresh family: its OAuth client, or the person who approved it. */
export type RevokedBy = "its OAuth client" | "its principal";

/**
 * Revokes a refresh family with all of its access tokens, unless it belongs to another OAuth client or person. Revoking one that does
 * not exist succeeds (RFC 7009 section 2.2).
 */
export function decideRevokeRefreshFamily(
  snapshot: RecordSnapshot,
  by: RevokedBy,
  why: string,
  actor: Actor,
  now: number,
): Decision<{ readonly ok: boolean }> {
  const record = currentRecord(snapshot, now);
  if (record === undefined) return unchanged({ ok: true });
  const sameTenant = record.tenantId === actor.tenantId;
  const allowed = {
    "its OAuth client": sameTenant && record.oauthClientId === actor.oauthClientId,
    "its principal": sameTenant && record.principalId === actor.principalId,
  };
  if (!allowed[by]) return unchanged({ ok: false });
  return { outcome: { ok: true }, writes: revocationOf(snapshot, why, actor, now) };
}

/** Returns the writes that revoke a family, and all of its access tokens that may be valid. */
export function revocationOf(
  snapshot: Pick<RecordSnapshot, "record">,
  why: string,
  actor: Actor,
  now: number,
): readonly Write[] {
  const record = currentRecord(snapshot, now);
  if (record === undefined) return [];
  const { generation, ...family } = familyOfRecord(record);
  return [
    // An expired record counts as absent. This one has expired at any time, also when the clock is set back.
    {
      kind: "record",
      record: {
        ...recordOfFamily({ ...family, generation, liveGrants: [], expiresAt: 0 }),
        revision: record.revision + 1,
      },
    },
    ...family.liveGrants.map(({ grantId }): Write => ({ kind: "revocation", subjectId: grantId, at: now })),
    audit(actor, now, {
      subjectTenantId: family.tenantId,
      subject: `refresh-family:${family.familyId}`,
      event: `revoked: ${why}`,
      versionBefore: generation,
      versionAfter: generation,
    }),
  ];
}
