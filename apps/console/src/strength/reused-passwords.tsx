import { reusedPasswords } from "@platform-rpc/items/reused-passwords";
import { useMemo } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";

/** Says which other items have a password of an item, too. Whether it is weak, the form and the page of passwords say. */
export function ReusedPasswords({ row }: { readonly row: ItemRow }) {
  const { rows } = useLibrary();
  const others = useMemo(() => {
    const live = rows.filter(({ item, content }) => !item.deleted && content?.fields !== undefined);
    const contents = new Map(live.map(({ key, content }) => [key, { fields: content?.fields ?? [] }]));
    const reused = reusedPasswords(contents).find(({ itemIds }) => itemIds.includes(row.key));
    return live.filter(({ key }) => key !== row.key && reused?.itemIds.includes(key));
  }, [rows, row.key]);
  if (others.length === 0) return undefined;
  const titles = new Intl.ListFormat("en").format(others.slice(0, 3).map(({ title }) => `“${title}”`));
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  return (
    <p className="notice">
      The same password is in {titles}
      {more}. Who learns one knows all of them: give each its own.
    </p>
  );
}
