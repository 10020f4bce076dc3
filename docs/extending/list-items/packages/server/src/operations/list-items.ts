import type { Item } from "../domain/item.js";
import { listItems } from "../domain/list-items.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { readerOf } from "./reader.js";

/** The page to list. */
export interface ListItemsInput {
  readonly vaultId: string;
  /** 0: the default. */
  readonly pageSize: number;
  /** Empty: the first page. */
  readonly pageToken: string;
}

/** One page, or why the call was rejected. */
export type ListItemsResult =
  | { readonly ok: true; readonly items: readonly Item[]; readonly nextPageToken: string }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "PAGE_UNKNOWN" };

const defaultPageSize = 50;

/** The most bytes of a page in JSON, unless a single item has more. */
const pageBytes = 512 * 1024;

/** Creates ItemService.ListItems: the items of the vault's history after a position, without tombstones. */
export function createListItems({ storage }: { readonly storage: Storage }) {
  return async (input: ListItemsInput, call: Call): Promise<ListItemsResult> => {
    const { vaultId, pageSize, pageToken } = input;
    const { actor, wanted } = call;
    const { tenantId } = actor;
    // Nobody, for software that a person has limited to other vaults or actions.
    const principalId = readerOf(call, vaultId, "read");
    // Without the id of an item, only the vault and the caller's role are loaded.
    const membership = { kind: "item", tenantId, vaultId, itemId: "", principalId } as const;
    const { outcome } = await storage.transact(membership, listItems(), { wanted });
    if (!outcome.ok) return outcome;
    const limit = pageSize || defaultPageSize;
    const page = await storage.listChanges({
      tenantId,
      vaultId,
      afterSequence: Number(pageToken),
      limit,
      maxBytes: pageBytes,
    });
    if (!page.reached) return { ok: false, reason: "PAGE_UNKNOWN" };
    const last = page.hasMore ? page.items.at(-1)?.sequence : undefined;
    const items = page.items.filter(({ state }) => state === "live");
    return { ok: true, items, nextPageToken: last === undefined ? "" : String(last) };
  };
}
