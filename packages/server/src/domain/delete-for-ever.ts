import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { alreadyDone, type Decision, unchanged } from "./model/decision.js";
import { type VersionConflict, versionConflict } from "./model/item.js";
import { type ItemSnapshot, roleMayManage } from "./model/vault.js";
import { defineRule } from "./rule.js";

export type DeleteForEverOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ROLE_FORBIDS_CHANGE" | "ITEM_NOT_FOUND" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

/**
 * Creates the rule that erases the content of a tombstone before its retention ends, because an owner or admin of the vault asks for it.
 * Like every shredding, it cannot be undone, and changes neither version, updatedAt nor sequence. A retry writes nothing.
 *
 * Apply it with `operations.decide`, only for a person who has just signed in, and only while the clock is trusted.
 */
export const deleteForEver = defineRule(decideDeleteForEver);

/** @param version the version of the tombstone that the person saw */
function decideDeleteForEver(
  snapshot: ItemSnapshot,
  version: number,
  actor: Actor,
  now: number,
): Decision<DeleteForEverOutcome> {
  const { vault, role, item } = snapshot;
  if (vault === undefined || role === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  if (!roleMayManage(role)) return unchanged({ ok: false, reason: "ROLE_FORBIDS_CHANGE" });
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  if (item.state === "live" || item.version !== version) return unchanged(versionConflict(item, version));
  if (item.state === "shredded") return alreadyDone({ ok: true });
  const { content: _, earlier: __, sequence: ___, ...tombstone } = item;
  return {
    outcome: { ok: true },
    writes: [
      { kind: "shred", item: { ...tombstone, state: "shredded", shredAt: undefined } },
      audit(actor, now, {
        subjectTenantId: item.tenantId,
        subject: `item:${item.vaultId}/${item.itemId}`,
        event: "deleted for ever",
        versionBefore: version,
        versionAfter: version,
      }),
    ],
  };
}
