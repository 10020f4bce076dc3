import type { Actor } from "./actor.js";
import { type Decision, unchanged } from "./decision.js";
import { decideGetItem, type GetItemOutcome } from "./get-item.js";
import type { ItemContent, ItemRef } from "./item.js";
import { decidePutItem, type PutItemOutcome } from "./put-item.js";
import { decideRestoreItem, type RestoreItemOutcome } from "./restore-item.js";
import { defineRule } from "./rule.js";
import { type ItemSnapshot, roleMayDelete } from "./vault.js";

/** Why a principal may not change a vault: it is not a member, or only reads. */
export interface RoleRejection {
  readonly ok: false;
  readonly reason: "VAULT_NOT_FOUND" | "ROLE_FORBIDS_CHANGE";
}

export const getItemAsMember = defineRule(decideGetItemAsMember);

/** Reads an item or a tombstone for a member. The vault does not exist for anyone else. */
function decideGetItemAsMember(snapshot: ItemSnapshot): Decision<GetItemOutcome> {
  if (snapshot.role === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  const decision = decideGetItem(snapshot);
  return { ...decision, disclosed: decision.outcome.ok };
}

export const putItemAsMember = defineRule(decidePutItemAsMember);

/** Creates or replaces an item for a member whose role may change items. */
function decidePutItemAsMember(
  snapshot: ItemSnapshot,
  ref: ItemRef,
  content: ItemContent,
  baseVersion: number,
  actor: Actor,
  now: number,
): Decision<PutItemOutcome | RoleRejection> {
  const rejection = rejectRole(snapshot);
  return rejection ? unchanged(rejection) : decidePutItem(snapshot, ref, content, baseVersion, actor, now);
}

export const restoreItemAsMember = defineRule(decideRestoreItemAsMember);

/** Restores a tombstone for a member whose role may change items. */
function decideRestoreItemAsMember(
  snapshot: ItemSnapshot,
  baseVersion: number,
  actor: Actor,
  now: number,
): Decision<RestoreItemOutcome | RoleRejection> {
  const rejection = rejectRole(snapshot);
  return rejection ? unchanged(rejection) : decideRestoreItem(snapshot, baseVersion, actor, now);
}

/** Checks the role before the item, so that nobody else learns about items. Undefined: the role may change items. */
function rejectRole({ vault, role }: ItemSnapshot): RoleRejection | undefined {
  if (vault === undefined || role === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
  // The roles that may delete an item may also restore and replace it.
  return roleMayDelete(role) ? undefined : { ok: false, reason: "ROLE_FORBIDS_CHANGE" };
}
