import type { Item } from "../domain/item.js";
import type { Storage } from "../ports/storage.js";

/** The position to go on from, and how many items are wanted at most. */
export interface ListChangesInput {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly afterSequence: number;
  readonly limit: number;
}

/** One page of changes. */
export type ListChangesResult =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** The position to go on from. */
      readonly sequence: number;
      readonly hasMore: boolean;
    }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "CURSOR_AHEAD" };

/** Lists what changed in a vault after a position: each item once, at its newest sequence. */
export function createListChanges({ storage }: { storage: Storage }) {
  return async (input: ListChangesInput): Promise<ListChangesResult> => {
    // One more than asked for tells whether there are more.
    const { vault, head, items } = await storage.listChanges({ ...input, limit: input.limit + 1 });
    if (vault === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
    if (input.afterSequence > head) return { ok: false, reason: "CURSOR_AHEAD" };
    const hasMore = items.length > input.limit;
    const page = hasMore ? items.slice(0, input.limit) : items;
    return { ok: true, items: page, sequence: hasMore ? (page.at(-1)?.sequence ?? head) : head, hasMore };
  };
}
