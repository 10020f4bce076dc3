import type { Item, ItemContent } from "../domain/item.js";
import { type PutItemOutcome, putItem } from "../domain/put-item.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { withSequence } from "./with-sequence.js";

/** The content of an item, and the version it replaces. */
export interface PutItemInput extends ItemContent {
  readonly tenantId: string;
  readonly vaultId: string;
  /** Empty, with base version 0: an id is generated. */
  readonly itemId: string;
  /** The version to replace. 0 creates the item. */
  readonly baseVersion: number;
}

/** The stored item, or why it was not stored. */
export type PutItemResult = { readonly ok: true; readonly item: Item } | Extract<PutItemOutcome, { ok: false }>;

/** Creates or replaces an item. */
export function createPutItem({ storage, clock, secrets }: { storage: Storage; clock: Clock; secrets: Secrets }) {
  return async (input: PutItemInput, { actor, wanted }: Call): Promise<PutItemResult> => {
    const { tenantId, vaultId, itemId: named, baseVersion, ...content } = input;
    const itemId = named === "" ? secrets.newId() : named;
    const ref = { tenantId, vaultId, itemId };
    return withSequence(
      await storage.transact({ kind: "item", ...ref }, putItem(ref, content, baseVersion, actor, clock.now()), {
        wanted,
      }),
    );
  };
}
