import type { ContentField } from "@platform-rpc/items/item-content";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { FieldValue, ShowButton, useMask } from "./field.js";
import { type ComparedField, isSameField, isSecret } from "./fields.js";

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

function Compared({ field: { seen, now } }: { readonly field: ComparedField }) {
  const { label, shown, toggle } = useComparison(seen, now);
  const differs = !isSameField(seen, now);
  return (
    <tr data-differs={differs}>
      <th scope="row">
        {label}
        {differs && <span className="badge warning">Changed</span>}
        {toggle && <ShowButton label={label} shown={shown} onToggle={toggle} />}
      </th>
      <td>
        <Side field={seen} shown={shown} />
      </td>
      <td>
        <Side field={now} shown={shown} />
      </td>
    </tr>
  );
}

export function useComparison(one: ContentField | undefined, other: ContentField | undefined) {
  const field = one !== undefined && isSecret(one.type) ? one : (other ?? one);
  return { label: labelOf(field?.name ?? ""), ...useMask(field?.type ?? "text") };
}

interface SideProps {
  /** Undefined: it is not in this state. */
  readonly field: ContentField | undefined;
  readonly shown: boolean;
}

export function Side({ field, shown }: SideProps) {
  if (field === undefined) return <span className="hint">Not there</span>;
  const value = field.type === "file" ? (field.fileName ?? "A file") : field.value;
  return <FieldValue value={value} shown={shown} isSecret={isSecret(field.type)} />;
}
