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

/** The most bytes of an answer in JSON, unless a single item has more. */
const pageBytes = 1024 * 1024;

/** Bytes by which an item's JSON in the answer may exceed the item's own: names of fields, and a time as text. */
const bytesAroundItem = 64;

/**
 * Lists what changed in a vault after a position: each item once, at its newest sequence. A page has at most `limit`
 * items, and at most 1 MiB as JSON; a single item that has more is a page.
 */
export function createListChanges({ storage }: { storage: Storage }) {
  return async (input: ListChangesInput): Promise<ListChangesResult> => {
    const maxBytes = pageBytes - bytesAroundItem * (input.limit + 16);
    const { vault, head, reached, items, hasMore } = await storage.listChanges({ ...input, maxBytes });
    if (vault === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
    if (!reached) return { ok: false, reason: "CURSOR_AHEAD" };
    return { ok: true, items, sequence: hasMore ? (items.at(-1)?.sequence ?? head) : head, hasMore };
  };
}
