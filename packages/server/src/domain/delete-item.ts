import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { alreadyDone, type Decision, unchanged } from "./decision.js";
import {
  type Item,
  type ItemChange,
  type ItemStatus,
  type StoredItem,
  shreddedContent,
  type VersionConflict,
  versionConflict,
  wholeItem,
} from "./item.js";
import { defineRule } from "./rule.js";
import { type ItemSnapshot, roleMayDelete } from "./vault.js";

const day = 24 * 60 * 60 * 1000;

/** The tombstone, or why the item was not deleted. */
export type DeleteItemOutcome =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ROLE_FORBIDS_DELETE" | "ITEM_NOT_FOUND" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

export const deleteItem = defineRule(decideDeleteItem);

/**
 * Deletes an item that is still at the version the caller last saw.
 *
 * A missing vault, a vault of another tenant (the snapshot is keyed by the caller's tenant) and one that the caller is not
 * a member of get the same rejection. The role is checked before the item.
 */
function decideDeleteItem(
  snapshot: ItemSnapshot,
  baseVersion: number,
  actor: Actor,
  now: number,
): Decision<DeleteItemOutcome> {
  const { vault, role, item } = snapshot;
  if (vault === undefined || role === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  if (!roleMayDelete(role)) return unchanged({ ok: false, reason: "ROLE_FORBIDS_DELETE" });
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });

  if (item.state !== "live") {
    // A retry sends the version that was deleted; a caller who has seen the tombstone sends the tombstone's version.
    const seen = baseVersion === item.version - 1 || baseVersion === item.version;
    return seen ? alreadyDone({ ok: true, item: wholeItem(item) }) : unchanged(versionConflict(item, baseVersion));
  }
  if (item.version !== baseVersion) return unchanged(versionConflict(item, baseVersion));

  const tombstone = tombstoneOf(item, vault.retentionDays, now);
  const shredded = tombstone.state === "shredded";
  const content = shredded ? shreddedContent(item.content()) : item.content();
  return {
    outcome: { ok: true, item: { ...content, ...tombstone } },
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
