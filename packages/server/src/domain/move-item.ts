import { type DeleteItemOutcome, decideDeleteItem, type RecordOfTombstone } from "./delete-item.js";
import type { Actor } from "./model/actor.js";
import { allows } from "./model/bounds.js";
import { type Decision, unchanged } from "./model/decision.js";
import { delegations } from "./model/delegation.js";
import { type ItemContent, type ItemRef, versionConflict } from "./model/item.js";
import { type ItemSnapshot, rejectChange } from "./model/vault.js";
import { decidePutItem, type PutItemOutcome } from "./put-item.js";
import { defineRule } from "./rule.js";

/** The item in the other vault, or why it was not moved. */
export type MoveItemOutcome = PutItemOutcome | Extract<DeleteItemOutcome, { readonly ok: false }>;

/** What is created in the other vault. */
export interface MovedItem {
  readonly ref: ItemRef;
  /** Encrypted for the other vault, like the earlier ones. */
  readonly content: ItemContent;
  /** As `storedEarlier` returns them. */
  readonly earlier: string;
}

export const moveItem = defineRule(decideMoveItem);

/**
 * Deletes an item that is still at the version the caller last saw, as DeleteItem does, and creates it in another vault, as PutItem does:
 * both in one step, or neither. The tombstone is one like any other, and can be restored.
 *
 * An exact retry writes nothing. A call that only one of the two would change fails as a conflict.
 */
function decideMoveItem(
  { to, ...from }: ItemSnapshot,
  { ref, content, earlier }: MovedItem,
  baseVersion: number,
  actor: Actor,
  now: number,
  delegationId?: string,
  alsoCreated?: RecordOfTombstone,
): Decision<MoveItemOutcome> {
  if (to === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  // First of all, so that a stranger to the other vault gets the same response whatever the item is.
  const rejection = rejectChange(to, "member");
  if (rejection !== undefined) return unchanged(rejection);
  const delegation = delegationId === undefined ? undefined : delegations.read(from.record);
  if (delegation !== undefined && !allows(delegation.bounds, ref.vaultId, "write"))
    return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  const deletion = decideDeleteItem(from, baseVersion, actor, now, delegationId, alsoCreated);
  if (!deletion.outcome.ok) return { ...deletion, outcome: deletion.outcome };
  const creation = decidePutItem(to, "member", ref, content, 0, actor, now, undefined, earlier);
  if (!creation.outcome.ok || (deletion.writes.length === 0 && creation.writes.length === 0)) return creation;
  if (creation.writes.length === 0 && to.item !== undefined) return unchanged(versionConflict(to.item, 0));
  if (deletion.writes.length === 0 && from.item !== undefined)
    return unchanged(versionConflict(from.item, baseVersion));
  return { outcome: creation.outcome, writes: [...deletion.writes, ...creation.writes] };
}
