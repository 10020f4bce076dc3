import { type Cell, cellsOf, enpassCells } from "./csv-cells.js";
import { enpassRow, firstRowOf, isHeader, type Meaning, meaningsOf, sampleOf } from "./csv-columns.js";
import { itemOf } from "./csv-item.js";
import { badBytes, decodeText, isText } from "./decode-text.js";
import { type Format, ImportError, type ReadItems, type Skipped } from "./format.js";
import { type ItemBuilder, partly, quoted, sortBuilt } from "./item-builder.js";
import { parseTable, type Row } from "./parse-table.js";

const limits = { columns: 500, rows: 100_000, samples: 3, looked: 200 } as const;

/** Tables of every program: the columns are recognised by their header. */
export const csv: Format = {
  name: "CSV",
  recognises: ({ bytes, text }) => isText(bytes) && !/^\s*\{/.test(text ?? decodeText(bytes).text),
  read({ bytes }, { meanings: chosen, firstRow: chosenRow, encoding: chosenEncoding }): ReadItems {
    const { text, encoding } = decodeText(bytes, chosenEncoding);
    const table = parseTable(text, isHeader);
    const [first, ...others] = table;
    if (first === undefined) throw noItems();
    const looked = table.slice(0, limits.looked).map(({ cells }) => cells);
    const inHeader = enpassRow(first.cells);
    const ofEnpass = inHeader || isHeader(first.cells) ? inHeader : looked.map(enpassRow).find(Boolean);
    const firstRow = chosenRow ?? ofEnpass ?? firstRowOf(first.cells, looked.slice(1));
    const hasHeader = firstRow === "header";
    const rows = hasHeader ? others : table;
    if (rows.length === 0) throw noItems();
    // A program that ends each row with a separator may do it in the header as well.
    const widest = rows.reduce((most, { cells }) => Math.max(most, filledOf(cells)), 0);
    const width = hasHeader ? Math.max(filledOf(first.cells), Math.min(first.cells.length, widest)) : widest;
    checkSize(width, rows, first.line);
    const header = Array.from({ length: width }, (_, index) => {
      return (hasHeader && readable(first.cells[index] ?? "").trim()) || `Column ${index + 1}`;
    });
    const meanings = chosen ?? (hasHeader ? meaningsOf(header) : header.map(() => "secret" as const));
    const samples = rows
      .slice(0, limits.samples)
      .map(({ cells }) =>
        header.map((_, index) => sampleOf(readable(cells[index] ?? ""), meanings[index] ?? "secret")),
      );
    // The fields of RoboForm, and those of Keeper, are cells after the last one of the header.
    const isRagged =
      !hasHeader || ofEnpass !== undefined || /,rffields\w*$|,shared folder,custom fields$/i.test(header.join());
    const built = rows.flatMap((row) => itemsOf(row, { header, meanings, isRagged, isEnpass: ofEnpass !== undefined }));
    const columns = { header, meanings, samples, firstRow, encoding };
    return { ...sortBuilt(built), ...(ofEnpass === undefined && { columns }) };
  },
};

function noItems(): ImportError {
  return new ImportError(
    "The file has no items: it has fewer than two lines. Export it again, and choose the new file.",
  );
}

function checkSize(columns: number, rows: readonly Row[], line: number): void {
  if (columns < 2) {
    throw new ImportError(
      `Line ${line} is not the header of a table: it has one column. Export the items as CSV, JSON or 1PUX, and choose that file.`,
    );
  }
  if (columns > limits.columns || rows.length > limits.rows) {
    throw new ImportError(
      `The table has ${columns} columns and ${rows.length} rows. It can have ${limits.columns} columns and ${limits.rows} rows. Divide it into several files.`,
    );
  }
}

type Built = ReturnType<ItemBuilder["build"]>;

/** Shows invalid bytes as other programs do. */
function readable(cell: string): string {
  return cell.replaceAll(badBytes, "\uFFFD");
}

/** Returns how many cells a row has up to its last one that is not empty. */
function filledOf(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell !== "") + 1;
}

interface Table {
  readonly header: readonly string[];
  readonly meanings: readonly Meaning[];
  /** Whether rows can have other numbers of cells than the header, as those of RoboForm. */
  readonly isRagged: boolean;
  readonly isEnpass: boolean;
}

function itemsOf(
  { cells: all, line, isBroken }: Row,
  { header, meanings, isRagged, isEnpass }: Table,
): readonly Built[] {
  const row = all.length > header.length ? all.slice(0, Math.max(header.length, filledOf(all))) : all;
  const cells = isEnpass ? enpassCells(row) : cellsOf(row, header, meanings);
  const title = cells.find(({ meaning, text }) => meaning === "title" && text.trim() !== "")?.text ?? "";
  const where = title === "" ? `Line ${line}` : `Line ${line}, ${quoted(readable(title))}`;
  const why = whyNot(row, cells, isRagged ? Number.POSITIVE_INFINITY : header.length);
  if (why !== undefined) return [{ where, why }];
  const listed: Skipped[] = [];
  if (row.length < header.length && !isRagged) {
    const missing = `The row has ${row.length} cells, and the header ${header.length}. Only what it has was read: look whether the file is complete.`;
    listed.push(partly(where, missing));
  }
  if (isBroken) {
    listed.push(
      partly(where, "A quotation mark in the row is not doubled. Compare its values with those in the other program."),
    );
  }
  return [itemOf(cells).build(where), ...listed];
}

function whyNot(row: readonly string[], cells: readonly Cell[], most: number): string | undefined {
  const has = (text: string) => row.some((cell) => cell.includes(text));
  const is = (meaning: Meaning, words: RegExp) =>
    cells.some((cell) => cell.meaning === meaning && words.test(cell.text.trim()));
  if (has(badBytes)) {
    return "It has bytes that are not valid in this encoding. Choose another encoding, or correct the row.";
  }
  if (has("\0")) return "It has a NUL character. Correct the row, and choose the file again.";
  if (row.length > most) {
    return `The row has ${row.length} cells, and the header ${most}. Put texts with commas into quotation marks.`;
  }
  if (is("archived", /^(?!(?:0|false|no)?$)/i))
    return "The item is archived. Take it out of the archive, and export it again.";
  const hasMore = cells.some(
    ({ meaning, text }) => !/title|kind|folder|none|favourite/.test(meaning) && text.trim() !== "",
  );
  if (is("kind", /^folder$/i) && !hasMore) return "The row is a folder. Its items have the folder as a tag.";
  return undefined;
}
