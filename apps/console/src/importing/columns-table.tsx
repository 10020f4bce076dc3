import { type Columns, isMeaning, meanings } from "../import-formats/csv-columns.js";
import type { ReadOptions } from "../import-formats/format.js";

interface ColumnsTableProps {
  readonly columns: Columns;
  readonly onChange: (options: ReadOptions) => void;
}

export function ColumnsTable({ columns, onChange }: ColumnsTableProps) {
  const { header, samples, firstRow, encoding } = columns;
  const change = (index: number, chosen: string) => {
    if (isMeaning(chosen)) onChange({ meanings: columns.meanings.with(index, chosen) });
  };
  const rows = header.map((name, index) => ({ name: name || `Column ${index + 1}`, index }));
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">How the columns are read</h2>
      <label htmlFor="first-row">The first row is</label>
      <select
        id="first-row"
        value={firstRow}
        onChange={({ target }) => onChange({ firstRow: target.value === "header" ? "header" : "item" })}
      >
        {firstRow === "unknown" && <option value="unknown">Choose…</option>}
        <option value="header">a header, with the names of the columns</option>
        <option value="item">an item</option>
      </select>
      {firstRow === "unknown" && (
        <p className="notice">
          No column has a known name. Say whether the first row is a header or an item, and what each column is. A
          column that is not known is stored hidden.
        </p>
      )}
      {encoding !== undefined && (
        <>
          <label htmlFor="encoding">Encoding</label>
          <select
            id="encoding"
            value={encoding}
            onChange={({ target }) =>
              onChange({ encoding: target.value === "windows-1252" ? "windows-1252" : "utf-8" })
            }
          >
            <option value="utf-8">UTF-8</option>
            <option value="windows-1252">Windows-1252, of old programs and Excel</option>
          </select>
        </>
      )}
      <div className="columns">
        <table aria-labelledby="columns">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Read as</th>
              <th scope="col">Examples</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, index }) => (
              <tr key={`${index} ${name}`}>
                <th scope="row" dir="auto">
                  {name}
                </th>
                <td>
                  <select
                    aria-label={`Read ${name} as`}
                    value={columns.meanings[index]}
                    onChange={({ target }) => change(index, target.value)}
                  >
                    {Object.entries(meanings).map(([meaning, { label }]) => (
                      <option key={meaning} value={meaning}>
                        {label}
                      </option>
                    ))}
                  </select>
                </td>
                <td dir="auto">
                  {samples
                    .map((cells) => cells[index] ?? "")
                    .filter((cell) => cell !== "")
                    .join(" · ")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
