import { type FormEvent, useState } from "react";
import { Sheet } from "../elements/sheet.js";
import { TextField } from "../elements/text-field.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { tagsIn } from "../items/tags.js";

interface TagSheetProps {
  readonly rows: readonly ItemRow[];
  readonly known: readonly string[];
  readonly onTag: (tags: readonly string[], on: boolean) => void;
  readonly onClose: () => void;
}

export function TagSheet({ rows, known, onTag, onClose }: TagSheetProps) {
  const [typed, setTyped] = useState("");
  const tags = tagsIn(typed);
  const counts = new Map<string, number>();
  for (const { content } of rows) for (const each of content?.tags ?? []) counts.set(each, (counts.get(each) ?? 0) + 1);
  const add = (event: FormEvent) => {
    event.preventDefault();
    onTag(tags, true);
  };
  return (
    <Sheet title={`Tag ${countOf(rows)}`} onClose={onClose}>
      <form className="tag-form" onSubmit={add}>
        <TextField id="tag" label="Tag" list="known-tags" value={typed} onChange={setTyped} />
        <datalist id="known-tags">
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <div className="actions">
          <button type="submit" className="primary" disabled={tags.every((tag) => counts.get(tag) === rows.length)}>
            Add
          </button>
        </div>
      </form>
      {counts.size > 0 && (
        <section aria-labelledby="remove-tags">
          <h3 id="remove-tags">Remove</h3>
          <div className="chips">
            {[...counts].map(([each, count]) => (
              <button
                data-change
                key={each}
                type="button"
                className="chip"
                aria-label={`Remove ${each}`}
                onClick={() => onTag([each], false)}
              >
                <bdi>{each}</bdi> <span className="hint">{count}</span>
              </button>
            ))}
          </div>
        </section>
      )}
    </Sheet>
  );
}
