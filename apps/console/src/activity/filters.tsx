import type { ReactNode } from "react";
import { useLibrary } from "../vaults/library.js";
import { type ActivityFilter, noFilter } from "./activity.js";
import { operations } from "./words.js";

interface FiltersProps {
  readonly filter: ActivityFilter;
  readonly onFilter: (filter: ActivityFilter) => void;
}

const byWhom: Readonly<Record<string, ActivityFilter["by"]>> = { "": "", me: "me", software: "software" };

/** Selects what is listed. */
export function Filters({ filter, onFilter }: FiltersProps) {
  const { vaults = [] } = useLibrary();
  const change = (changes: Partial<ActivityFilter>) => onFilter({ ...filter, ...changes });
  const day = (name: "from" | "until", label: string) => (
    <Field name={name} label={label}>
      <input id={name} type="date" value={filter[name]} onChange={({ target }) => change({ [name]: target.value })} />
    </Field>
  );
  return (
    <form className="choices" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {day("from", "From")}
      {day("until", "Until")}
      <Field name="operation" label="Operation">
        <select id="operation" value={filter.operation} onChange={({ target }) => change({ operation: target.value })}>
          <option value="">All</option>
          {Object.entries(operations).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <Field name="vault" label="Vault">
        <select id="vault" value={filter.vault} onChange={({ target }) => change({ vault: target.value })}>
          <option value="">All</option>
          {vaults.map(({ vaultId, name }) => (
            <option key={vaultId} value={vaultId}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field name="by" label="Who">
        <select id="by" value={filter.by} onChange={({ target }) => change({ by: byWhom[target.value] ?? "" })}>
          <option value="">Anyone</option>
          <option value="me">Only me</option>
          <option value="software">Software</option>
        </select>
      </Field>
      {filter.software !== "" && (
        <p>
          Only the software <code>{filter.software}</code>.
        </p>
      )}
      <button type="button" disabled={filter === noFilter} onClick={() => onFilter(noFilter)}>
        Clear
      </button>
    </form>
  );
}

function Field({
  name,
  label,
  children,
}: {
  readonly name: string;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div>
      <label htmlFor={name}>{label}</label>
      {children}
    </div>
  );
}
