import { useChangedBy } from "../detail/changed-by.js";
import { Side, useComparison } from "../detail/comparison.js";
import { Doubts } from "../detail/doubts.js";
import { ShowButton } from "../detail/field.js";
import { ErrorMessage } from "../elements/error-message.js";
import type { ItemRow } from "../items/item-rows.js";
import type { Choices, FieldConflict } from "./merge-contents.js";

interface ConflictProps {
  /** The item as it is now. */
  readonly row: ItemRow;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSave: () => void;
}

interface SaveConflictProps extends ConflictProps {
  readonly conflicts: readonly FieldConflict[];
  readonly choices: Choices;
  readonly onChoices: (choices: Choices) => void;
  readonly onBack: () => void;
}

/** Asks about each field that the person and somebody else have changed. Nothing is saved before the person has decided all of them. */
export function SaveConflict(props: SaveConflictProps) {
  const { row, conflicts, choices, onChoices, busy, error, onSave, onBack } = props;
  const by = useChangedBy(row);
  return (
    <form
      className="conflict"
      aria-labelledby="conflict"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <h3 id="conflict">Someone changed this while you were editing</h3>
      <p>
        Nothing is saved yet. Changed by {by}. Choose which {conflicts.length === 1 ? "value" : "values"} to keep. All
        other changes, theirs and yours, are kept.
      </p>
      <Doubts content={row.content} />
      <div className="card">
        {conflicts.map((conflict) => (
          <Choice
            key={conflict.key}
            conflict={conflict}
            chosen={choices.get(conflict.key)}
            onChoose={(side) => onChoices(new Map([...choices, [conflict.key, side]]))}
          />
        ))}
      </div>
      <ErrorMessage error={error} />
      <div className="actions">
        <button type="button" className="quiet" onClick={onBack}>
          Back to editing
        </button>
        <button type="submit" data-change className="primary" disabled={busy}>
          {busy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly conflict: FieldConflict;
  /** Undefined until the person decides: neither is the default, because the other one is then gone. */
  readonly chosen: "mine" | "theirs" | undefined;
  readonly onChoose: (side: "mine" | "theirs") => void;
}

const sides = [
  ["mine", "What you wrote"],
  ["theirs", "What is stored now"],
] as const;

function Choice({ conflict, chosen, onChoose }: ChoiceProps) {
  const { label, shown, toggle } = useComparison(conflict.mine, conflict.theirs);
  return (
    <fieldset className="conflict-choice">
      <legend>
        {label}
        {toggle && <ShowButton label={label} shown={shown} onToggle={toggle} />}
      </legend>
      {sides.map(([side, words]) => (
        <label key={side}>
          <input type="radio" name={conflict.key} required checked={chosen === side} onChange={() => onChoose(side)} />
          <span className="hint">{words}</span>
          <Side field={conflict[side]} shown={shown} />
        </label>
      ))}
    </fieldset>
  );
}

interface LostItemProps extends ConflictProps {
  readonly onDiscard: () => void;
}

/** Offers to save what the person wrote as another item, because the one that they edited cannot be changed any more. */
export function LostItem({ row: { item, ...row }, busy, error, onSave, onDiscard }: LostItemProps) {
  const by = useChangedBy({ item, ...row });
  return (
    <section className="conflict" aria-labelledby="conflict">
      <h3 id="conflict">Someone {item.deleted ? "deleted" : "changed"} this while you were editing</h3>
      <p>
        {item.deleted
          ? `It was deleted by ${by}, as the server says`
          : `It was changed by ${by}, in a form that cannot be changed here`}
        . Nothing is saved yet. What you wrote is kept until you save or discard it.
      </p>
      <Doubts content={row.content} />
      <ErrorMessage error={error} />
      <div className="actions">
        <button type="button" className="quiet" onClick={onDiscard}>
          Discard what you wrote
        </button>
        <button type="button" data-change className="primary" disabled={busy} onClick={onSave}>
          {busy ? "Saving…" : "Save as a new item"}
        </button>
      </div>
    </section>
  );
}
