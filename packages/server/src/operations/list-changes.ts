import type { Item } from "../domain/item.js";
import type { Storage } from "../ports/storage.js";

/** The vault, the position to list from, and the largest number of items. */
export interface ListChangesInput {
  readonly tenantId: string;
  readonly vaultId: string;
  /** The principal who reads. Anyone but a member gets VAULT_NOT_FOUND. Absent: membership is not checked. */
  readonly principalId?: string;
  readonly afterSequence: number;
  readonly limit: number;
}

/** One page of changes. */
export type ListChangesResult =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** The `afterSequence` of the next page. */
      readonly sequence: number;
      readonly hasMore: boolean;
    }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "CURSOR_AHEAD" };

/** The largest size of a response in bytes of JSON, unless a single item is larger. */
const pageBytes = 1024 * 1024;

/** Bytes by which an item's JSON in the response may exceed its size in the storage: field names, and a time as text. */
const bytesAroundItem = 64;

/**
 * Creates ListChanges: lists what changed in a vault after a position, each item once, at its newest sequence. A page has
 * at most `limit` items and at most 1 MiB of JSON; a larger item is a page on its own.
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
