import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { type Bounds, boundsSchema, describeBounds } from "./bounds.js";
import { defineCollection } from "./collection.js";
import type { Write } from "./decision.js";
import type { Grant } from "./grant.js";
import { recordsOf, type StoredRecord } from "./record.js";
import { number, object, optional, text } from "./schema.js";

/**
 * A delegation: the bounds of one approval, and what was used of them. The tokens of the approval name it, also those that are refreshed,
 * so that a refresh gives no new budget. Only the person who approved can change its bounds.
 */
export interface Delegation {
  /** The id of the first grant of the approval, and so of its refresh family. */
  readonly delegationId: string;
  readonly tenantId: string;
  /** The principal that approved. */
  readonly principalId: string;
  readonly oauthClientId: string;
  readonly bounds: Bounds;
  /** How many items were deleted. Also counted if the bounds do not limit it. */
  readonly deletions: number;
  /** When the last item was deleted, in milliseconds since the epoch; undefined before the first. */
  readonly lastDeletionAt: number | undefined;
  /** How often secrets of items were used. Also counted if the bounds do not limit it. Undefined: never. */
  readonly uses?: number | undefined;
  /** When a secret was last used, in milliseconds since the epoch; undefined before the first use. */
  readonly lastUseAt?: number | undefined;
  /** When the person ended it, in milliseconds since the epoch; undefined before. */
  readonly endedAt: number | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the last of its tokens expires, whatever the bounds say, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const delegations = defineCollection<Delegation>("delegation", {
  schema: object({
    delegationId: text,
    tenantId: text,
    principalId: text,
    oauthClientId: text,
    bounds: boundsSchema,
    deletions: number,
    lastDeletionAt: optional(number),
    uses: optional(number),
    lastUseAt: optional(number),
    endedAt: optional(number),
    createdAt: number,
    expiresAt: number,
  }),
  keyOf: ({ tenantId, delegationId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/** Returns a delegation of which nothing was used. */
export function newDelegation(
  {
    delegationId,
    tenantId,
    principalId,
    oauthClientId,
    bounds,
    expiresAt,
  }: Pick<Delegation, "delegationId" | "tenantId" | "principalId" | "oauthClientId" | "bounds" | "expiresAt">,
  now: number,
): Delegation {
  const used = { deletions: 0, lastDeletionAt: undefined, endedAt: undefined };
  return { delegationId, tenantId, principalId, oauthClientId, bounds, ...used, createdAt: now, expiresAt };
}

/**
 * Returns the writes that open the delegation of a new grant. None if the grant has no bounds. Commit them with the grant.
 *
 * @param expiresAt when its last token expires, in milliseconds since the epoch. Default: with those of the grant.
 */
export function openDelegation(
  { delegation, tenantId, principalId, oauthClientId, ...grant }: Grant,
  actor: Actor,
  now: number,
  expiresAt = 1000 * grant.expiresAt,
): readonly Write[] {
  if (delegation === undefined) return [];
  return [
    delegations.create(newDelegation({ ...delegation, tenantId, principalId, oauthClientId, expiresAt }, now), now),
    audit(actor, now, {
      subjectTenantId: tenantId,
      subject: `delegation:${delegation.delegationId}`,
      event: `opened: ${describeBounds(delegation.bounds)}`,
      versionAfter: 1,
    }),
  ];
}

/** Returns the write that counts a deletion. @param stored the record of the delegation */
export function countDeletion(stored: StoredRecord | undefined, delegation: Delegation, now: number): Write {
  const counted = { ...delegation, deletions: delegation.deletions + 1, lastDeletionAt: now };
  return delegations.put(recordsOf([stored]), counted, now);
}

/** Returns whether a delegation has ended: the person has ended it, or its time is over. */
export function hasEnded({ endedAt, bounds, expiresAt }: Delegation, now: number): boolean {
  return endedAt !== undefined || now >= Math.min(expiresAt, bounds.expiresAt ?? expiresAt);
}
