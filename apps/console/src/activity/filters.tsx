import type { ReactNode } from "react";
import { useLibrary } from "../vaults/library.js";
import { type ActivityFilter, isFiltered, noFilter } from "./activity.js";

interface FiltersProps {
  readonly filter: ActivityFilter;
  readonly onFilter: (filter: ActivityFilter) => void;
}

const byWhom: Readonly<Record<string, ActivityFilter["by"]>> = { "": "", me: "me", software: "software" };

const kinds: readonly (readonly [ActivityFilter["kind"], string])[] = [
  ["", "All"],
  ["items", "Items"],
  ["sign-ins", "Sign-ins"],
  ["agents", "Agents"],
];

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
    <form aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <div className="chips">
        {kinds.map(([kind, words]) => (
          <button
            key={kind}
            type="button"
            className="chip"
            aria-pressed={filter.kind === kind}
            onClick={() => change({ kind })}
          >
            {words}
          </button>
        ))}
      </div>
      <details>
        <summary>Dates, vaults and people</summary>
        <div className="choices">
          {day("from", "From")}
          {day("until", "Until")}
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
        </div>
      </details>
      {isFiltered(filter) && (
        <button type="button" className="quiet" onClick={() => onFilter(noFilter)}>
          Clear the filters
        </button>
      )}
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
