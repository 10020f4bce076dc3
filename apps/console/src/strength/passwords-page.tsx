import { passwordsOf, reusedPasswords } from "@platform-rpc/items/reused-passwords";
import { useMemo } from "react";
import { Link } from "../elements/link.js";
import { useTitle } from "../elements/use-title.js";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";
import { leastScore } from "./strength.js";
import { useStrengths } from "./use-strength.js";

/** The items whose passwords are easy to guess, or are in other items, too. */
export function PasswordsPage() {
  useTitle("Weak or reused passwords");
  const { rows } = useLibrary();
  const live = useMemo(
    () => rows.filter(({ item, content }) => !item.deleted && content?.fields !== undefined),
    [rows],
  );
  // The same value while nothing changes: everything is measured again for another one.
  const passwords = useMemo(
    () => [...new Set(live.flatMap(({ content }) => passwordsOf(content?.fields ?? [])))],
    [live],
  );
  const strengths = useStrengths(passwords);
  const othersByKey = useMemo(() => {
    const reused = reusedPasswords(new Map(live.map(({ key, content }) => [key, { fields: content?.fields ?? [] }])));
    return new Map(reused.flatMap(({ itemIds }) => itemIds.map((key) => [key, itemIds.length - 1])));
  }, [live]);
  const found = live.map((row) => ({ row, reasons: reasonsOf(row) })).filter(({ reasons }) => reasons !== "");
  function reasonsOf({ key, content }: ItemRow): string {
    const weak = passwordsOf(content?.fields ?? [])
      .map((password) => strengths.get(password))
      .find((each) => each && each.score < leastScore);
    const others = othersByKey.get(key) ?? 0;
    return [
      ...(weak ? [`Weak. ${weak.reason}`] : []),
      ...(others > 0 ? [`Also in ${others} other ${others === 1 ? "item" : "items"}.`] : []),
    ].join(" ");
  }
  const left = passwords.length - strengths.size;
  return (
    <>
      <h1>Weak or reused passwords</h1>
      <p>
        Whoever guesses or steals one of these passwords gets further than they should. They were checked in this
        browser, and sent nowhere.
      </p>
      <p role="status" className="hint">
        {left > 0 ? `Checking ${left} of ${passwords.length} passwords…` : summaryOf(found.length, passwords.length)}
      </p>
      <ul className="card" aria-label="Weak or reused passwords">
        {found.map(({ row, reasons }) => (
          <li key={row.key}>
            <Link to={`/vaults/${row.vaultId}`} search={{ item: row.key }} dir="auto">
              {row.title === "" ? "Item without a title" : row.title}
            </Link>
            <p className="hint">{reasons}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

function summaryOf(found: number, checked: number): string {
  if (checked === 0) return "There are no passwords to check yet.";
  if (found === 0) return "Every password is strong, and used once.";
  return `${found} ${found === 1 ? "item has" : "items have"} a weak or reused password.`;
}
