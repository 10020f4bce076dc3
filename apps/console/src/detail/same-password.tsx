import { passwordsOf } from "@platform-rpc/items/reused-passwords";
import { useMemo } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";

/** Says which other items have a password of an item. How strong it is says the page Passwords, which loads a large script for that. */
export function SamePassword({ row, password }: { readonly row: ItemRow; readonly password: string }) {
  const { rows } = useLibrary();
  const others = useMemo(() => {
    const has = ({ item, content }: ItemRow) => !item.deleted && passwordsOf(content?.fields ?? []).includes(password);
    return rows.filter((each) => each.key !== row.key && has(each)).map(({ title }) => `“${title}”`);
  }, [rows, row.key, password]);
  const more = others.length > 3 ? [`${others.length - 2} more`] : [];
  const titles = new Intl.ListFormat("en").format([...others.slice(0, more.length > 0 ? 2 : 3), ...more]);
  return others.length > 0 && <p className="hint">The same password is in {titles}.</p>;
}
