import Papa from "papaparse";
import { type Columns, type Meaning, meaningsOf, sampleOf } from "./csv-columns.js";
import { type Format, ImportError, type ImportedItem, type Skipped } from "./format.js";
import { createItemBuilder, quoted, sortBuilt } from "./item-builder.js";

/** A table: its header, and its rows with the lines in which they begin. */
interface Table {
  readonly header: readonly string[];
  readonly rows: readonly { readonly cells: readonly string[]; readonly line: number }[];
}

const limits = { columns: 100, rows: 100_000, samples: 3 } as const;

/** Tables of every program: the columns are recognised by their header. */
export const csv: Format = {
  name: "CSV",
  recognises: ({ text }) => text !== undefined,
  read({ text = "" }, { meanings: chosen }) {
    const table = parseTable(text);
    const { header, rows } = table;
    const meanings = chosen ?? meaningsOf(header);
    const built = rows.map(({ cells, line }) => itemOf({ cells, line }, header, meanings));
    const samples = rows
      .slice(0, limits.samples)
      .map(({ cells }) => header.map((_, index) => sampleOf(cells[index] ?? "", meanings[index] ?? "text")));
    const columns: Columns = { header, meanings, samples };
    const { items, skipped } = sortBuilt(built);
    return { items, skipped: [...skipped, ...shortRows(table, built)], columns };
  },
};

/** Lists the items whose rows have too few cells: a file that is cut off has one. */
function shortRows({ header, rows }: Table, built: readonly (ImportedItem | Skipped)[]): readonly Skipped[] {
  return rows.flatMap(({ cells, line }, index) => {
    const item = built[index];
    if (cells.length >= header.length || item === undefined || "why" in item) return [];
    const where = `Line ${line}, ${quoted(item.content.title)}`;
    const why = `The row has ${cells.length} cells, and the header ${header.length}. Only what it has was read: look whether the file is complete.`;
    return [{ where, why }];
  });
}

/** Parses a table. @throws ImportError if it is broken */
export function parseTable(text: string): Table {
  // A file that is cut off between the two characters of a line end would seem to have line ends of one.
  const start = text.replace(/^\uFEFF/, "").replace(/\r$/, "");
  const { data, errors, meta } = Papa.parse<string[]>(start, { delimitersToGuess: [",", ";", "\t"] });
  const broken = errors.find(({ type }) => type === "Quotes");
  const lines = linesOf(data, start, meta.linebreak);
  if (broken) {
    const line = lines[broken.row ?? 0] ?? 1;
    throw new ImportError(
      `A quotation mark in the row that begins in line ${line} is not closed. Export the file again, or correct that row, and choose the file again.`,
    );
  }
  const rows = data.map((cells, index) => ({ cells, line: lines[index] ?? 0 })).filter(({ cells }) => !isEmpty(cells));
  const [header, ...others] = rows;
  if (header === undefined || others.length === 0) {
    throw new ImportError(
      "The file has no items: it has fewer than two lines. Export it again, and choose the new file.",
    );
  }
  if (header.cells.length < 2) {
    throw new ImportError(
      `Line ${header.line} is no header of a table: it has one column. Export the items as CSV, JSON or 1PUX, and choose that file.`,
    );
  }
  if (header.cells.length > limits.columns || others.length > limits.rows) {
    throw new ImportError(
      `The table has ${header.cells.length} columns and ${others.length} rows. It can have ${limits.columns} columns and ${limits.rows} rows. Divide it into several files.`,
    );
  }
  return { header: header.cells.map((name) => name.trim()), rows: others };
}

/** Returns the line in which each row begins: cells can have line breaks. */
function linesOf(rows: readonly (readonly string[])[], text: string, lineBreak: string): readonly number[] {
  let line = 1;
  return rows.map((cells) => {
    const begins = line;
    line += 1 + cells.reduce((sum, cell) => sum + (cell.includes("\n") || cell.includes("\r") ? breaksIn(cell) : 0), 0);
    return text === "" || lineBreak === "" ? 1 : begins;
  });
}

function breaksIn(cell: string): number {
  return cell.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/** The kinds of items, by what programs call them in a column. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["note", "secure_note"],
  ["securenote", "secure_note"],
  ["card", "card"],
  ["creditcard", "card"],
  ["identity", "identity"],
  ["sshkey", "ssh_key"],
]);

function itemOf(
  { cells, line }: Table["rows"][number],
  header: readonly string[],
  meanings: readonly Meaning[],
): ImportedItem | Skipped {
  const where = `Line ${line}`;
  const cellOf = (meaning: Meaning) => cells[meanings.indexOf(meaning)] ?? "";
  if (cells.length > header.length) {
    const title = cellOf("title");
    return {
      where: title === "" ? where : `${where}, ${quoted(title)}`,
      why: `The row has ${cells.length} cells, and the header ${header.length}. Put texts with commas into quotation marks.`,
    };
  }
  if (/^(1|true|yes)$/i.test(cellOf("archived"))) {
    return {
      where: `${where}, ${quoted(cellOf("title"))}`,
      why: "The item is archived. Take it out of the archive, and export it again.",
    };
  }
  const kindName = cellOf("kind")
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
  const kind = kinds.get(kindName) ?? "login";
  const item = createItemBuilder(kind);
  // A kind that is unknown here stays readable.
  if (kindName !== "" && kindName !== "login" && !kinds.has(kindName)) item.addOther("Kind", "text", cellOf("kind"));
  header.forEach((name, index) => {
    const cell = cells[index] ?? "";
    const meaning = meanings[index] ?? "text";
    if (meaning === "title") item.title = cell;
    else if (meaning === "favourite") item.favourite = /^(1|true|yes)$/i.test(cell.trim());
    else if (meaning === "tags") for (const tag of cell.split(/[,;]/)) item.tag(tag);
    else if (meaning === "website" && kind === "login") for (const url of websitesIn(cell)) item.add("website", url);
    else if (meaning === "notes") item.add("notes", cell);
    else if (meaning === "fields") addFields(item, cell);
    else if (meaning === "text" || meaning === "secret") item.addOther(name, typeFor(cell, meaning), cell);
    else if (meaning === "username" || meaning === "password" || meaning === "one_time_code") {
      if (kind === "login") item.add(meaning, cell);
      else item.addOther(name, meaning === "username" ? "text" : "secret", cell);
    } else if (meaning === "website") item.addOther(name, "url", cell);
  });
  return item.build(where);
}

/** A text with line breaks is shown as such. */
function typeFor(cell: string, meaning: "text" | "secret") {
  return meaning === "text" && /[\r\n]/.test(cell) ? "note" : meaning;
}

/** Returns the addresses in a cell: Bitwarden puts commas between them. */
function websitesIn(cell: string): readonly string[] {
  return cell.split(/,(?=\s*(?:[a-z][a-z0-9+.-]*:\/\/))/i).map((url) => url.trim());
}

/** Adds the fields in a cell of Bitwarden: `name: value` on each line. */
function addFields(item: ReturnType<typeof createItemBuilder>, cell: string): void {
  for (const line of cell.split(/\r\n|\r|\n/)) {
    const at = line.indexOf(": ");
    // The table does not say which of them were hidden.
    if (at < 0) item.addOther("", "secret", line);
    else item.addOther(line.slice(0, at), "secret", line.slice(at + 2));
  }
}
