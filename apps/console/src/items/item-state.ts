import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";

const dayMs = 24 * 60 * 60_000;

type ItemState =
  | { readonly state: "live" }
  | { readonly state: "deleted"; readonly shredAt: Date | undefined }
  | { readonly state: "shredded" };

/** Returns the state of an item, and for a tombstone when its content is destroyed: retention days after the deletion. */
export function stateOf({ deleted, updatedAt, encryptedPayload }: Item, retentionDays: number | undefined): ItemState {
  if (!deleted) return { state: "live" };
  if (updatedAt === undefined || (encryptedPayload?.ciphertext ?? "") === "") return { state: "shredded" };
  if (retentionDays === undefined) return { state: "deleted", shredAt: undefined };
  return { state: "deleted", shredAt: new Date(timestampDate(updatedAt).getTime() + retentionDays * dayMs) };
}

/** Returns a tombstone as the server does once its content is destroyed. */
export function shredded(item: Item): Item {
  const { encryptedPayload } = item;
  const emptied = encryptedPayload && { ...encryptedPayload, nonce: "", aad: "", ciphertext: "" };
  return { ...item, titleHash: "", encryptedPayload: emptied, wrappedKeys: [] };
}

const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric" });

export function stateInWords(state: ItemState): string {
  if (state.state === "live") return "";
  if (state.state === "shredded") return "Deleted for ever";
  if (state.shredAt === undefined) return "Deleted";
  return `Deleted. It is deleted for ever on ${day.format(state.shredAt)}`;
}
