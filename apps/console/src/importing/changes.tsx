import { labelOf } from "@platform-rpc/items/kind-fields";
import { FirstOf } from "../elements/first-of.js";
import { additionKey, type Change } from "./duplicates.js";

interface ChangesProps {
  readonly changes: readonly Change[];
  /** The keys of what is not added. */
  readonly leftOut: ReadonlySet<string>;
  readonly onChange: (leftOut: ReadonlySet<string>) => void;
}

/** Lists the stored items of which a file has more. The person chooses each field that is added. Values are not shown. */
export function Changes({ changes, leftOut, onChange }: ChangesProps) {
  if (changes.length === 0) return null;
  const toggle = (key: string) => {
    const next = new Set(leftOut);
    if (!next.delete(key)) next.add(key);
    onChange(next);
  };
  return (
    <section aria-labelledby="import-changes">
      <h2 id="import-changes">The vault has these already, and the file has more</h2>
      <FirstOf all={changes} most={100}>
        {(change) => (
          <>
            <bdi>{change.row.title}</bdi>
            {change.added.map((field, index) => (
              <label key={index} className="choice">
                <input
                  type="checkbox"
                  checked={!leftOut.has(additionKey(change, field))}
                  onChange={() => toggle(additionKey(change, field))}
                />
                Add {labelOf(field.name)}
              </label>
            ))}
          </>
        )}
      </FirstOf>
    </section>
  );
}
