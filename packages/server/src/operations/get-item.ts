import { unchanged } from "../domain/decision.js";
import { type Item, type ItemRef, wholeItem } from "../domain/item.js";
import type { ItemSnapshot } from "../domain/vault.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** The item, or why it was not found. */
export type GetItemResult =
  | { readonly ok: true; readonly item: Item }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "ITEM_NOT_FOUND" };

/** Reads an item, tombstones included. */
export function createGetItem({ storage }: { storage: Storage }) {
  return async (ref: ItemRef, { wanted }: Call): Promise<GetItemResult> => {
    const read = ({ vault, item }: ItemSnapshot): GetItemResult => {
      if (vault === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
      return item === undefined ? { ok: false, reason: "ITEM_NOT_FOUND" } : { ok: true, item: wholeItem(item) };
    };
    const { outcome } = await storage.transact({ kind: "item", ...ref }, (snapshot) => unchanged(read(snapshot)), {
      wanted,
    });
    return outcome;
  };
}
