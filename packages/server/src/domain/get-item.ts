import { type Decision, unchanged } from "./decision.js";
import { type Item, wholeItem } from "./item.js";
import { defineRule } from "./rule.js";
import type { ItemSnapshot } from "./vault.js";

/** The item, or why it was not found. */
export type GetItemOutcome =
  | { readonly ok: true; readonly item: Item }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" };

export const getItem = defineRule(decideGetItem);

/** Reads an item or a tombstone, with its content. */
export function decideGetItem({ vault, item }: ItemSnapshot): Decision<GetItemOutcome> {
  if (vault === undefined) return unchanged({ ok: false, reason: "VAULT_NOT_FOUND" });
  return unchanged(item === undefined ? { ok: false, reason: "ITEM_NOT_FOUND" } : { ok: true, item: wholeItem(item) });
}
