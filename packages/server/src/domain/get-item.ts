import { type Decision, unchanged } from "./model/decision.js";
import { type EarlierContent, readEarlier } from "./model/earlier-contents.js";
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

/** The earlier contents, the newest first, or why the item was not found. */
export type ListEarlierContentsOutcome =
  | { readonly ok: true; readonly contents: readonly EarlierContent[] }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" };

export const listEarlierContents = defineRule(decideListEarlierContents);

/** Lists what an item or a tombstone contained before. */
function decideListEarlierContents(
  snapshot: ItemSnapshot,
  access: Access,
  now: number,
): Decision<ListEarlierContentsOutcome> {
  const { item } = snapshot;
  if (!vaultExists(snapshot, access)) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  if (item === undefined) return unchanged({ ok: false, reason: "ITEM_NOT_FOUND" });
  // A process of an older version may have shredded it, and does not know them.
  const contents = item.state === "shredded" ? [] : readEarlier(item.earlier(), now);
  return { ...unchanged({ ok: true, contents }), disclosed: access === "member" };
}
