import { labelOf } from "@platform-rpc/items/kind-fields";
import { FieldValue, useMask } from "./field.js";
import type { ComparedField } from "./fields.js";

interface ComparisonProps {
  readonly fields: readonly ComparedField[];
  /** What the two states are called. */
  readonly before: string;
  readonly after: string;
}

/** Two states of an item side by side: only what differs is marked. */
export function Comparison({ fields, before, after }: ComparisonProps) {
  return (
    <div className="card conflict-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">{before}</th>
            <th scope="col">{after}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <Compared key={field.key} field={field} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Compared({ field: { name, type, seen, now } }: { readonly field: ComparedField }) {
  const { shown, toggle } = useMask(type);
  const label = labelOf(name);
  return (
    <tr data-differs={seen !== now}>
      <th scope="row">
        {label}
        {seen !== now && <span className="badge warning">Changed</span>}
        {toggle && (
          <button type="button" className="quiet" aria-label={`${shown ? "Hide" : "Show"} ${label}`} onClick={toggle}>
            {shown ? "Hide" : "Show"}
          </button>
        )}
      </th>
      <td>
        <Side value={seen} shown={shown} />
      </td>
      <td>
        <Side value={now} shown={shown} />
      </td>
    </tr>
  );
}

function Side({ value, shown }: { readonly value: string | undefined; readonly shown: boolean }) {
  return value === undefined ? <span className="hint">Not there</span> : <FieldValue value={value} shown={shown} />;
}
