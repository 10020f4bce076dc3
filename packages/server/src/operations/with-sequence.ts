import type { Item, ItemChange } from "../domain/item.js";
import type { Committed } from "../ports/storage.js";

/**
 * The outcome of a decision about an item, with the item at its place in the vault's history: the one that its change
 * has just got, or, when nothing was written, the one that it had.
 */
export function withSequence<Refused extends { readonly ok: false }>({
  outcome,
  sequence,
}: Committed<{ readonly ok: true; readonly item: Item | ItemChange } | Refused>):
  | { readonly ok: true; readonly item: Item }
  | Refused {
  if (!outcome.ok) return outcome;
  const { item } = outcome;
  if (sequence !== undefined) return { ok: true, item: { ...item, sequence } };
  if ("sequence" in item) return { ok: true, item };
  throw new TypeError("storage gave no sequence to a change");
}
