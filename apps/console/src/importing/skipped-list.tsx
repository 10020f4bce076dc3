import { saveText } from "@platform-rpc/accounts/browser/output/save-text";
import { FirstOf } from "../elements/first-of.js";
import type { Skipped } from "../import-formats/format.js";

interface SkippedListProps {
  readonly skipped: readonly Skipped[];
  readonly title: string;
}

/** Lists what is not imported, and, apart from it, what is different in the items that are. */
export function SkippedList({ skipped, title }: SkippedListProps) {
  const { parts = [], whole = [] } = Object.groupBy(skipped, ({ isPart }) => (isPart ? "parts" : "whole"));
  return (
    <>
      <List skipped={whole} title={title} fileName="not-imported.txt" />
      <List skipped={parts} title="Imported with differences" fileName="imported-with-differences.txt" />
    </>
  );
}

function List({ skipped, title, fileName }: SkippedListProps & { readonly fileName: string }) {
  if (skipped.length === 0) return null;
  const save = () => {
    saveText(fileName, skipped.map(({ where, why }) => `${where}: ${why}\n`).join(""));
  };
  return (
    <details className="skipped" open>
      <summary>
        {title}: {skipped.length.toLocaleString("en")}
      </summary>
      <FirstOf all={skipped} most={20}>
        {({ where, why }) => (
          <>
            <bdi>{where}</bdi>: {why}
          </>
        )}
      </FirstOf>
      <button type="button" className="quiet" onClick={save}>
        Save this list
      </button>
    </details>
  );
}
