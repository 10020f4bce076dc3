/** Formats a table in Markdown. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
  return [line(columns), `|${columns.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
