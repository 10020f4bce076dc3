import { type Columns, type Meaning, meanings } from "../import-formats/csv-columns.js";

interface ColumnsTableProps {
  readonly columns: Columns;
  readonly onChange: (meanings: readonly Meaning[]) => void;
}

/** Shows how the columns of a table are read, and lets the person change it. */
export function ColumnsTable({ columns, onChange }: ColumnsTableProps) {
  const { header, samples } = columns;
  const change = (index: number, chosen: string) => {
    const meaning = meaningOf(chosen);
    if (meaning !== undefined) onChange(columns.meanings.with(index, meaning));
  };
  const rows = header.map((name, index) => ({ name: name || `Column ${index + 1}`, index }));
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">How the columns are read</h2>
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
                    {Object.entries(meanings).map(([meaning, words]) => (
                      <option key={meaning} value={meaning}>
                        {words}
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

function meaningOf(chosen: string): Meaning | undefined {
  return Object.keys(meanings).find((meaning): meaning is Meaning => meaning === chosen);
}
