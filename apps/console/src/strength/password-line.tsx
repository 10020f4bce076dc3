import { passwordsOf } from "@platform-rpc/items/reused-passwords";
import { useMemo } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";
import { strengthInWords } from "./strength-hint.js";
import { useStrength } from "./use-strength.js";

interface PasswordLineProps {
  /** The item that has the password. */
  readonly row: ItemRow;
  readonly password: string;
}

/** Says in one line how strong a password is, and which other items have it, too. */
export function PasswordLine({ row, password }: PasswordLineProps) {
  const { rows } = useLibrary();
  const strength = useStrength(password);
  const others = useMemo(() => {
    const has = ({ item, content }: ItemRow) => !item.deleted && passwordsOf(content?.fields ?? []).includes(password);
    return rows.filter((each) => each.key !== row.key && has(each)).map(({ title }) => `“${title}”`);
  }, [rows, row.key, password]);
  const more = others.length > 3 ? [`${others.length - 2} more`] : [];
  const titles = new Intl.ListFormat("en").format([...others.slice(0, more.length > 0 ? 2 : 3), ...more]);
  const reuse = others.length > 0 ? `The same password is in ${titles}.` : "";
  return <p className="hint">{[strength ? strengthInWords(strength) : "", reuse].join(" ").trim()}</p>;
}
