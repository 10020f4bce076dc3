import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { allows } from "./model/bounds.js";
import { alreadyDone, type Decision, unchanged, type Write } from "./model/decision.js";
import { countDeletion, delegations, hasEnded } from "./model/delegation.js";
import {
  changedItem,
  type Item,
  type ItemChange,
  type ItemStatus,
  type StoredItem,
  shreddedContent,
  type VersionConflict,
  versionConflict,
  wholeItem,
} from "./model/item.js";
import { type ItemSnapshot, roleMayDelete } from "./model/vault.js";
import { defineRule } from "./rule.js";

const day = 24 * 60 * 60 * 1000;

/** The tombstone, or why the item was not deleted. */
export type DeleteItemOutcome =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | {
      readonly ok: false;
      readonly reason: "VAULT_NOT_FOUND" | "DELEGATION_ENDED" | "ROLE_FORBIDS_DELETE" | "ITEM_NOT_FOUND";
    }
  | DelegationExhausted
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

/** Returns a record that is created in the same commit as a tombstone. Its key was never used before: it contains the version. */
export type RecordOfTombstone = (tombstone: ItemStatus) => Extract<Write, { readonly kind: "record" }>;

/** The rejection of a deletion beyond the budget of its delegation. */
export interface DelegationExhausted {
  readonly ok: false;
  readonly reason: "DELEGATION_EXHAUSTED";
  /** How many deletions the person allows. */
  readonly allowed: number;
  /** How many were made. More than are allowed if the person has lowered the number since. */
  readonly used: number;
}

export const deleteItem = defineRule(decideDeleteItem);

/**
 * Deletes an item that is still at the version the caller last saw.
 *
 * A missing vault, a vault of another tenant (the snapshot is keyed by the caller's tenant) and one that the caller is not
 * a member of get the same rejection, and so does a vault outside the bounds of the caller's delegation. The role is checked before the
 * item.
 *
 * Only the deletion of a live item counts against the budget of a delegation: no retry, conflict or rejection does.
 *
 * @param delegationId the delegation of the caller, whose record the ref names. Default: the caller has none.
 * @param alsoCreated Default: no record is created.
 */
export function decideDeleteItem(
  snapshot: ItemSnapshot,
  baseVersion: number,
  actor: Actor,
  now: number,
  delegationId?: string,
  alsoCreated?: RecordOfTombstone,
): Decision<DeleteItemOutcome> {
  const { vault, role, item, record } = snapshot;
  if (vault === undefined || role === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  const delegation = delegationId === undefined ? undefined : delegations.read(record);
  if (delegationId !== undefined) {
    if (delegation === undefined || hasEnded(delegation, now)) {
      return unchanged({ ok: false, reason: "DELEGATION_ENDED" });
    }
    if (!allows(delegation.bounds, vault.vaultId, "delete")) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  }
  if (!roleMayDelete(role)) return unchanged({ ok: false, reason: "ROLE_FORBIDS_DELETE" });
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });

  if (item.state !== "live") {
    // A retry sends the version that was deleted; a caller who has seen the tombstone sends the tombstone's version.
    const seen = baseVersion === item.version - 1 || baseVersion === item.version;
    return seen ? alreadyDone({ ok: true, item: wholeItem(item) }) : unchanged(versionConflict(item, baseVersion));
  }
  if (item.version !== baseVersion) return unchanged(versionConflict(item, baseVersion));

  const { deletions: used = 0, bounds: { maxDeletions: allowed = Number.POSITIVE_INFINITY } = {} } = delegation ?? {};
  if (used >= allowed) return unchanged({ ok: false, reason: "DELEGATION_EXHAUSTED", allowed, used });

  const tombstone = tombstoneOf(item, vault.retentionDays, now);
  const shredded = tombstone.state === "shredded";
  const content = shredded ? shreddedContent(item.content()) : item.content();
  return {
    outcome: { ok: true, item: changedItem(tombstone, content) },
    writes: [
      { kind: "change", item: tombstone },
      ...(shredded ? [{ kind: "shred", item: tombstone } as const] : []),
      audit(actor, now, {
        subjectTenantId: item.tenantId,
        subject: `item:${item.vaultId}/${item.itemId}`,
        event: "deleted",
        versionBefore: item.version,
        versionAfter: tombstone.version,
      }),
      ...(delegation === undefined ? [] : [countDeletion(record, delegation, now)]),
      ...(alsoCreated === undefined ? [] : [alsoCreated(tombstone)]),
    ],
  };
}

function tombstoneOf(item: StoredItem, retentionDays: number, now: number): ItemStatus {
  const { tenantId, vaultId, itemId } = item;
  const kept = retentionDays > 0;
  return {
    tenantId,
    vaultId,
    itemId,
    version: item.version + 1,
    updatedAt: now,
    state: kept ? "deleted" : "shredded",
    shredAt: kept ? now + retentionDays * day : undefined,
  };
}
