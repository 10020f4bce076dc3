import { useQuery } from "@tanstack/react-query";
import { type ActivityPage, noFilter, queryOf } from "../activity/activity.js";
import { actorInWords } from "../activity/words.js";
import type { ItemRow } from "../items/item-rows.js";
import { callAccount } from "../session/call-account.js";

/** The versions that other tabs of this browser have saved since this one was opened. */
const savedElsewhere = new Set<string>();
const channel = new BroadcastChannel("platform vault: saved");
channel.onmessage = ({ data }: MessageEvent<string>) => savedElsewhere.add(data);

type ChangedItem = Pick<ItemRow, "vaultId" | "item">;

/** As the entries of the activity name it. */
const versionOf = ({ vaultId, item }: ChangedItem) => `item:${vaultId}/${item.itemId} ${item.version}`;

/** Tells the other tabs of this browser which version was saved here. */
export function reportSaved(saved: ChangedItem): void {
  channel.postMessage(versionOf(saved));
}

/** Returns who made the current version of an item, for a sentence: "you, in another tab", or "someone else" if it is not known. */
export function useChangedBy(changed: ChangedItem): string {
  const { data } = useQuery({ queryKey: ["changed by", versionOf(changed)], queryFn: () => findActor(changed) });
  return data ?? "someone else";
}

/** Returns who made the current version of an item, as the server says: for a tombstone, who deleted it. */
export async function findActor(changed: ChangedItem): Promise<string> {
  if (savedElsewhere.has(versionOf(changed))) return "you, in another tab";
  const filter = { ...noFilter, vault: changed.vaultId };
  const { entries } = await callAccount<ActivityPage>(`activity?${queryOf(filter, undefined)}`);
  // An item that is deleted for ever keeps its version.
  const entry = entries.findLast((each) => `${each.subject} ${each.version}` === versionOf(changed));
  if (entry === undefined) return "someone else";
  if (entry.software !== undefined) return actorInWords(entry);
  if (entry.by === "you") return "you, in another tab or on another device";
  const actor = actorInWords(entry);
  return actor.charAt(0).toLowerCase() + actor.slice(1);
}
