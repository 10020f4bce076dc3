/** The row of a benchmark's table. The first cell is its name. */
type Row = readonly string[];

interface Table {
  readonly columns: Row;
  readonly rows: readonly Row[];
}

/** The results in docs/benchmarks.md, which `pnpm bench` writes. */
export interface Benchmarks {
  /**
   * Returns the median in the table of a section, such as "17.9" of "17.9 (17.4–18.3)".
   *
   * @throws Error if the page has no such figure.
   */
  figure(section: string, row: string, column: string): string;
  /** Returns the same as a number. */
  value(section: string, row: string, column: string): number;
  /** Returns the rows of the table of aims whose first cell is one of these. @throws Error if it lacks one. */
  aims(...names: readonly string[]): readonly Row[];
}

/** Reads docs/benchmarks.md. */
export function readBenchmarks(page: string): Benchmarks {
  const tables = new Map(
    page.split(/^## /m).map((section) => [section.slice(0, section.indexOf("\n")), tableOf(section)] as const),
  );
  const cell = (section: string, row: string, column: string) => {
    const { columns = [], rows = [] } = tables.get(section) ?? {};
    const found = rows.find(([name]) => name === row)?.[columns.indexOf(column)];
    if (found === undefined) throw new Error(`docs/benchmarks.md has no "${column}" of "${row}" in "${section}".`);
    return found;
  };
  const figure = (section: string, row: string, column: string) => cell(section, row, column).replace(/ \(.*/, "");
  return {
    figure,
    value(section, row, column) {
      const value = Number(figure(section, row, column).replaceAll(" ", ""));
      if (!(value > 0)) throw new Error(`The "${column}" of "${row}" in docs/benchmarks.md is not a number.`);
      return value;
    },
    aims(...names) {
      return names.flatMap((name) => {
        const rows = tables.get("Aims")?.rows.filter(([what]) => what === name) ?? [];
        if (rows.length === 0) throw new Error(`docs/benchmarks.md has no aim for "${name}".`);
        return rows;
      });
    },
  };
}

/** Returns the first table of a section. */
function tableOf(section: string): Table {
  const lines = /(?:^\|.*\n)+/m.exec(section)?.[0].trimEnd().split("\n") ?? [];
  const cells = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((text) => text.trim()),
  );
  const [columns = [], , ...rows] = cells;
  return { columns, rows };
}
