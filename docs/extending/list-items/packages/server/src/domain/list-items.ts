import { type Decision, unchanged } from "./decision.js";
import { defineRule } from "./rule.js";
import type { ItemSnapshot } from "./vault.js";

/** Whether the caller may list the items of a vault. */
export type ListItemsOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" };

export const listItems = defineRule(decideListItems);

/** Lets every member list the items of a vault. For anybody else the vault does not exist. */
export function decideListItems({ vault, role }: ItemSnapshot): Decision<ListItemsOutcome> {
  const member = vault !== undefined && role !== undefined;
  return unchanged(member ? { ok: true } : { ok: false, reason: "VAULT_NOT_FOUND" });
}
