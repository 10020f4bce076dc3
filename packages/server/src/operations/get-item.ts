import { type GetItemOutcome, getItem } from "../domain/get-item.js";
import type { ItemRef } from "../domain/item.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** The item, or why it was not found. */
export type GetItemResult = GetItemOutcome;

/** Reads an item or a tombstone. */
export function createGetItem({ storage }: { storage: Storage }) {
  return async (ref: ItemRef, { wanted }: Call): Promise<GetItemResult> => {
    const { outcome } = await storage.transact({ kind: "item", ...ref }, getItem(), { wanted });
    return outcome;
  };
}
