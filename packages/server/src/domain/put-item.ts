import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged } from "./model/decision.js";
import { withReplaced } from "./model/earlier-contents.js";
import {
  changedItem,
  contentJson,
  type Item,
  type ItemChange,
  type ItemContent,
  type ItemRef,
  type ItemStatus,
  noEarlier,
  type VersionConflict,
  versionConflict,
  wholeItem,
} from "./model/item.js";
import { type Access, type AccessRejection, type ItemSnapshot, rejectChange } from "./model/vault.js";
import { defineRule } from "./rule.js";

/** The item, or why it was not stored. */
export type PutItemOutcome =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | AccessRejection
  | { readonly ok: false; readonly reason: "ITEM_NOT_FOUND" }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict };

export const putItem = defineRule(decidePutItem);

/**
 * Creates an item (base version 0), or replaces one that is still at the base version: its content becomes the newest of the earlier
 * ones. An exact retry writes nothing.
 *
 * @param trustedTime the time of the last reading of the clock that was trusted. See `withReplaced`.
 * @param earlier the earlier contents of an item that is created. Default: it has none.
 */
export function decidePutItem(
  snapshot: ItemSnapshot,
  access: Access,
  ref: ItemRef,
  content: ItemContent,
  baseVersion: number,
  actor: Actor,
  now: number,
  trustedTime?: number,
  earlier = noEarlier,
): Decision<PutItemOutcome> {
  const rejection = rejectChange(snapshot, access);
  if (rejection !== undefined) return unchanged(rejection);
  const { item, floor } = snapshot;
  if (item === undefined && baseVersion > 0) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  const version = baseVersion === 0 ? floor + 1 : baseVersion + 1;
  if (item !== undefined) {
    const retried = item.state === "live" && item.version === version ? wholeItem(item) : undefined;
    if (retried !== undefined && contentJson(retried) === contentJson(content))
      return unchanged({ ok: true, item: retried });
    if (item.state !== "live" || item.version !== baseVersion) return unchanged(versionConflict(item, baseVersion));
  }

  const kept = item === undefined ? earlier : withReplaced(item, content, now, trustedTime);
  const written: ItemStatus = {
    ...ref,
    version,
    updatedAt: now,
    state: "live",
    shredAt: undefined,
  };
  return {
    outcome: { ok: true, item: changedItem(written, content) },
    writes: [
      { kind: "change", item: written, content, earlier: kept },
      audit(actor, now, {
        subjectTenantId: ref.tenantId,
        subject: `item:${ref.vaultId}/${ref.itemId}`,
        event: item === undefined ? "created" : "replaced",
        versionBefore: baseVersion,
        versionAfter: written.version,
      }),
    ],
  };
}
