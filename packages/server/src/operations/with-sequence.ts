import type { Item, ItemChange } from "../domain/item.js";
import type { Committed } from "../ports/storage.js";

/**
 * Returns the outcome of a decision about an item, with the item's sequence: the sequence of the change that was just written, or
 * of the item's last change when nothing was written.
 *
 * @throws TypeError when the storage assigned no sequence to a change.
 */
export function withSequence<Rejected extends { readonly ok: false }>({
  outcome,
  sequence,
}: Committed<{ readonly ok: true; readonly item: Item | ItemChange } | Rejected>):
  | { readonly ok: true; readonly item: Item }
  | Rejected {
  if (!outcome.ok) return outcome;
  const { item } = outcome;
  if (sequence !== undefined) return { ok: true, item: { ...item, sequence } };
  if ("sequence" in item) return { ok: true, item };
  throw new TypeError("the storage assigned no sequence to a change");
}
