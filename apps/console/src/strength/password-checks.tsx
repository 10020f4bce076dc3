import { passwordsOf, reusedPasswords } from "@platform-rpc/items/reused-passwords";
import { useMemo } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";
import { leastScore } from "./strength.js";
import { useStrengths } from "./use-strength.js";

/** Says whether a password of an item is weak, and which other items have it, too. */
export function PasswordChecks({ row }: { readonly row: ItemRow }) {
  return (
    <>
      <Weak row={row} />
      <Reused row={row} />
    </>
  );
}

function Weak({ row }: { readonly row: ItemRow }) {
  const fields = row.content?.fields;
  const passwords = useMemo(() => passwordsOf(fields ?? []), [fields]);
  const strengths = useStrengths(passwords);
  const weak = passwords.map((password) => strengths.get(password)).find((each) => each && each.score < leastScore);
  if (weak === undefined) return undefined;
  return <p className="hint">Weak password: it is easy to guess. {weak.reason}</p>;
}

function Reused({ row }: { readonly row: ItemRow }) {
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
