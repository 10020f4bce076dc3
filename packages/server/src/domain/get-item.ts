import { type Decision, unchanged } from "./model/decision.js";
import { type Item, wholeItem } from "./model/item.js";
import { type Access, type ItemSnapshot, vaultExists } from "./model/vault.js";
import { defineRule } from "./rule.js";

/** The item, or why it was not found. */
export type GetItemOutcome =
  | { readonly ok: true; readonly item: Item }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" };

export const getItem = defineRule(decideGetItem);

/** Reads an item or a tombstone, with its content. */
function decideGetItem(snapshot: ItemSnapshot, access: Access): Decision<GetItemOutcome> {
  const { item } = snapshot;
  if (!vaultExists(snapshot, access)) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  // A stranger must not learn from the time of a call whether an item exists; an administrator may.
  return { ...unchanged({ ok: true, item: wholeItem(item) }), disclosed: access === "member" };
}
