import { saveText } from "@platform-rpc/accounts/browser/save-text";
import type { Skipped } from "../import-formats/format.js";

/** How many entries are listed. The file has all. */
const shown = 20;

/** Lists what was not imported, and saves the whole list. */
export function SkippedList({ skipped, title }: { readonly skipped: readonly Skipped[]; readonly title: string }) {
  if (skipped.length === 0) return null;
  const save = () => {
    saveText("not-imported.txt", skipped.map(({ where, why }) => `${where}: ${why}\n`).join(""));
  };
  return (
    <details className="skipped" open>
      <summary>
        {title}: {skipped.length.toLocaleString("en")}
      </summary>
      <ul>
        {skipped.slice(0, shown).map(({ where, why }, index) => (
          <li key={index}>
            <bdi>{where}</bdi>: {why}
          </li>
        ))}
        {skipped.length > shown && <li>and {(skipped.length - shown).toLocaleString("en")} more</li>}
      </ul>
      <button type="button" className="quiet" onClick={save}>
        Save this list
      </button>
    </details>
  );
}
