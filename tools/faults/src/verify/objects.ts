import type { Call, ItemRequest, ItemResult } from "@platform-rpc/server/testing";
import { callsOn, type RecordedCall } from "../history/journal.ts";

type ItemCall = Call<ItemRequest, ItemResult>;

/**
 * Returns the calls on each item, by "vault/item". A list of changes is a read of each item in it. A list of a whole vault is a read
 * of every item: those that it omits do not exist.
 */
export function callsOnItems(calls: readonly RecordedCall[]): ReadonlyMap<string, readonly ItemCall[]> {
  const items = new Map<string, ItemCall[]>();
  const callsOf = (vaultId: string, itemId: string) => {
    const key = `${vaultId}/${itemId}`;
    const known = items.get(key) ?? [];
    items.set(key, known);
    return known;
  };
  for (const call of callsOn(calls, "item")) callsOf(call.request.vaultId, call.request.itemId).push(call);
  const idsOf = Map.groupBy(items.keys(), (key) => key.slice(0, key.indexOf("/")));
  for (const { request, result, begunAt, endedAt } of callsOn(calls, "vault")) {
    if (!result?.ok) continue;
    const read = (itemId: string, seen: ItemResult) =>
      callsOf(request.vaultId, itemId).push({ request: { kind: "get" }, result: seen, begunAt, endedAt });
    for (const { itemId, ...view } of result.items) read(itemId, { ok: true, ...view });
    if (request.after > 0 || result.more) continue;
    const listed = new Set(result.items.map(({ itemId }) => `${request.vaultId}/${itemId}`));
    for (const key of idsOf.get(request.vaultId) ?? []) {
      if (!listed.has(key)) read(key.slice(request.vaultId.length + 1), { ok: false, reason: "ITEM_NOT_FOUND" });
    }
  }
  return items;
}
