import type { Item, ItemRef } from "../domain/item.js";
import { type RestoreItemOutcome, restoreItem } from "../domain/restore-item.js";
import type { Clock } from "../ports/clock.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { withSequence } from "./with-sequence.js";

/** Identifies the tombstone and the version the caller last saw. */
export interface RestoreItemInput extends ItemRef {
  readonly baseVersion: number;
}

/** The restored item, or why it was not restored. */
export type RestoreItemResult = { readonly ok: true; readonly item: Item } | Extract<RestoreItemOutcome, { ok: false }>;

/** Restores a deleted item. */
export function createRestoreItem({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: RestoreItemInput, { actor, wanted }: Call): Promise<RestoreItemResult> => {
    const { baseVersion, ...ref } = input;
    return withSequence(
      await storage.transact({ kind: "item", ...ref }, restoreItem(baseVersion, actor, clock.now()), { wanted }),
    );
  };
}
