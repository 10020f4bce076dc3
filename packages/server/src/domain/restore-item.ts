import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged } from "./model/decision.js";
import {
  changedItem,
  type Item,
  type ItemChange,
  type ItemStatus,
  type VersionConflict,
  versionConflict,
} from "./model/item.js";
import { type Access, type AccessRejection, type ItemSnapshot, rejectChange } from "./model/vault.js";
import { defineRule } from "./rule.js";

/** The item, or why it was not restored. */
export type RestoreItemOutcome =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | AccessRejection
  | { readonly ok: false; readonly reason: "ITEM_NOT_FOUND" | "ITEM_SHREDDED" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

export const restoreItem = defineRule(decideRestoreItem);

/** Restores a tombstone until its retention ends. A tombstone that is due but not yet shredded cannot be restored. */
function decideRestoreItem(
  snapshot: ItemSnapshot,
  access: Access,
  baseVersion: number,
  actor: Actor,
  now: number,
): Decision<RestoreItemOutcome> {
  const rejection = rejectChange(snapshot, access);
  if (rejection !== undefined) return unchanged(rejection);
  const { item } = snapshot;
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  if (item.state === "live" || item.version !== baseVersion) return unchanged(versionConflict(item, baseVersion));
  if (item.shredAt === undefined || now >= item.shredAt) return unchanged({ ok: false, reason: "ITEM_SHREDDED" });

  const { tenantId, vaultId, itemId } = item;
  const restored: ItemStatus = {
    tenantId,
    vaultId,
    itemId,
    version: item.version + 1,
    updatedAt: now,
    state: "live",
    shredAt: undefined,
  };
  return {
    outcome: { ok: true, item: changedItem(restored, item.content()) },
    writes: [
      { kind: "change", item: restored },
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `item:${vaultId}/${itemId}`,
        event: "restored",
        versionBefore: item.version,
        versionAfter: restored.version,
      }),
    ],
  };
}
