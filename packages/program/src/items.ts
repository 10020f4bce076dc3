import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";
import type { Clients } from "./clients.js";
import { entriesOf } from "./pages.js";
import { ProgramError } from "./program-error.js";

type Member = Pick<Clients, "member">;

/** Where an item is. */
export interface ItemPlace {
  readonly vaultId: string;
  readonly itemId: string;
}

/** Yields the items of a vault, tombstones included, from the one after a position. An item that changes meanwhile appears again. */
export async function* itemsOf(
  { member }: Member,
  { vaultId, after = 0 }: { readonly vaultId: string; readonly after?: number },
  signal: AbortSignal,
): AsyncGenerator<{ readonly sequence: number; readonly item: Item }> {
  const changes = entriesOf(after, async (afterSequence) => {
    const page = await member.listChanges({ vaultId, afterSequence, limit: 500 }, { signal });
    return { entries: page.changes, next: page.hasMore ? (page.cursor?.sequence ?? afterSequence) : undefined };
  });
  for await (const { sequence, item } of changes) if (item !== undefined) yield { sequence, item };
}

/** Returns an item in its current state. */
export async function currentItem({ member }: Member, place: ItemPlace, signal: AbortSignal): Promise<Item> {
  return present((await member.getItem(place, { signal })).item);
}

/** Restores a deleted item if it is still at a version. Default: its current one. @throws ProgramError if it is not deleted. */
export async function restoreItem(
  clients: Member,
  { baseVersion, ...place }: ItemPlace & { readonly baseVersion: number | undefined },
  signal: AbortSignal,
): Promise<Item> {
  const { deleted, version } = await currentItem(clients, place, signal);
  // The server would report a conflict of versions.
  if (!deleted) throw new ProgramError(`Item ${place.itemId} is not deleted. There is nothing to restore.`);
  const request = { ...place, baseVersion: baseVersion ?? version };
  return present((await clients.member.restoreItem(request, { signal })).item);
}

/** What the server knows of an item, without what only its members can decrypt. */
export function summaryOf({ itemId, vaultId, kind, version, deleted, updatedAt }: Item) {
  return { itemId, vaultId, kind, version, deleted, updatedAt: updatedAt && timestampDate(updatedAt).toISOString() };
}

function present(item: Item | undefined): Item {
  if (item === undefined) throw new ProgramError("The server returned no item. Update this program.");
  return item;
}
