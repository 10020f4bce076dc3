import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";
import type { ItemRow } from "./item-rows.js";

const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** The fields of an item, or why they cannot be shown. */
export function ItemContent({
  row,
  retentionDays,
}: {
  readonly row: ItemRow;
  readonly retentionDays: number | undefined;
}) {
  const { item, content } = row;
  const state = stateInWords(stateOf(item, retentionDays));
  return (
    <>
      <p className="hint">
        {item.kind}, version {item.version}
        {item.updatedAt && `, changed ${time.format(timestampDate(item.updatedAt))}`}
        {state && `. ${state}`}
      </p>
      {content?.closed !== undefined && <p className="notice">{content.closed}</p>}
      <dl>
        {content?.fields?.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const dayMs = 24 * 60 * 60_000;

/** What became of an item. */
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

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

export function stateInWords(state: ItemState): string {
  if (state.state === "live") return "";
  if (state.state === "shredded") return "Destroyed";
  if (state.shredAt === undefined) return "Deleted";
  return `Deleted; destroyed on ${day.format(state.shredAt)}`;
}
