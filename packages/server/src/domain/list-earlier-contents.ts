import { type Decision, unchanged } from "./model/decision.js";
import { type EarlierContent, readEarlier } from "./model/earlier-contents.js";
import { type Access, type ItemSnapshot, vaultExists } from "./model/vault.js";
import { defineRule } from "./rule.js";

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
  const contents = item.state === "shredded" ? [] : readEarlier(item.earlier(), now);
  return { ...unchanged({ ok: true, contents }), disclosed: access === "member" };
}
