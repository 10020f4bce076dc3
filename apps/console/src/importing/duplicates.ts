import type { ContentField } from "@platform-rpc/items/item-content";
import type { ImportedItem } from "../import-formats/format.js";
import type { ItemRow } from "../items/item-rows.js";

/** Returns those items that a vault does not contain yet. @param rows the items of the vault */
export function withoutDuplicates(items: readonly ImportedItem[], rows: readonly ItemRow[]): readonly ImportedItem[] {
  const known = new Set(
    rows.flatMap(({ item, content }) =>
      item.deleted || content?.fields === undefined ? [] : [keyOf(item.kind, content.title, content.fields)],
    ),
  );
  return items.filter(({ kind, content }) => !known.has(keyOf(kind, content.title, content.fields)));
}

/** What makes two logins the same. Items of other kinds are the same if all their fields are. */
const ofLogin = ["username", "website", "password"];

function keyOf(kind: string, title: string, fields: readonly ContentField[]): string {
  const compared = kind === "login" ? fields.filter(({ name }) => ofLogin.includes(name)) : fields;
  const values = compared.filter(({ value }) => value !== "").map(({ name, value }) => [name, value]);
  return JSON.stringify([kind, title, values]);
}
