import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";

const dayMs = 24 * 60 * 60_000;

/** What became of an item. */
export type ItemState =
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
