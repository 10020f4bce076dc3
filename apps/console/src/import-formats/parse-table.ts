import { ImportError } from "./format.js";

export interface Row {
  readonly cells: readonly string[];
  /** The line in which it begins. */
  readonly line: number;
  /** Whether it has a quotation mark where none can be. */
  readonly isBroken: boolean;
}

/** How a table is written. Every line end ends a row: some files have several kinds. */
interface Dialect {
  readonly separator: string;
  /** Whether quotation marks and backslashes are written with a backslash before them, and not as `""`. */
  readonly backslash: boolean;
}

interface Parsed {
  readonly rows: readonly Row[];
  /** The line in which a row begins with a quotation mark that is not closed. */
  readonly unclosed?: number;
}

/** The header of KeePass 1, which writes backslashes before quotation marks. */
const keePass1 = /^"account","login name","password","web site","comments"/i;

/**
 * Parses a table, without its empty rows. Each way in which it can be written is tried on the whole file: the best is the one in which the
 * most rows have the same length, and the first one looks like a header.
 *
 * @throws ImportError if a quotation mark is not closed
 */
export function parseTable(text: string, isHeader: (cells: readonly string[]) => boolean): readonly Row[] {
  let best: { readonly parsed: Parsed; readonly score: number } | undefined;
  for (const parsed of parsings(text)) {
    const score = scoreOf(parsed.rows, isHeader);
    if (best === undefined || score > best.score) best = { parsed, score };
  }
  const { rows = [], unclosed } = best?.parsed ?? {};
  if (unclosed !== undefined) {
    throw new ImportError(
      `A quotation mark in the row that begins in line ${unclosed} is not closed. Export the file again, or correct that row, and choose the file again.`,
    );
  }
  return rows;
}

/** Parses a text in each way in which it can be written. */
function* parsings(text: string): Generator<Parsed> {
  // Excel names the separator in the first line.
  const [first = "", , stated] = /^("?)sep=([^\w"])\1(?:\r\n|\r|\n)/i.exec(text) ?? [];
  const body = text.slice(first.length);
  const found = [",", ";", "\t", "|"].filter((each) => text.includes(each));
  for (const separator of stated === undefined ? found : [stated]) {
    const parseAs = (backslash: boolean) => parse(body, first === "" ? 1 : 2, { separator, backslash });
    if (keePass1.test(body)) yield parseAs(true);
    const plain = parseAs(false);
    yield plain;
    // A file that is cut off has a mark that is not closed, and no broken row.
    if (plain.rows.some(({ isBroken }) => isBroken)) yield parseAs(true);
  }
  if (found.length === 0) yield parse(body, 1, { separator: ",", backslash: false });
}

function scoreOf(rows: readonly Row[], isHeader: (cells: readonly string[]) => boolean): number {
  const counts = new Map<number, number>();
  for (const { cells, isBroken } of rows) {
    if (!isBroken && cells.length > 1) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  }
  const [width, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), [0, 0]);
  return count / Math.max(rows.length, 1) + (isHeader(rows[0]?.cells ?? []) ? 1 : 0) + width / 10_000;
}

function parse(text: string, firstLine: number, { separator, backslash }: Dialect): Parsed {
  const rows: Row[] = [];
  const stop = new RegExp(`[\\${separator}\r\n]`, "g");
  let line = firstLine;
  for (let at = 0; at < text.length; ) {
    const cells: string[] = [];
    const begins = line;
    let isBroken = false;
    let isEnd = false;
    while (!isEnd) {
      if (text[at] === '"') {
        const quoted = parseQuoted(text, at, { separator, backslash });
        if (quoted === undefined) return { rows, unclosed: begins };
        cells.push(quoted.cell);
        isBroken ||= quoted.isBroken;
        if (/[\r\n]/.test(quoted.cell)) line += breaksIn(text.slice(at, quoted.end));
        at = quoted.end;
      } else {
        stop.lastIndex = at;
        const end = stop.exec(text)?.index ?? text.length;
        cells.push(text.slice(at, end));
        at = end;
      }
      isEnd = text[at] !== separator;
      at += text.startsWith("\r\n", at) ? 2 : 1;
    }
    line += 1;
    if (cells.some((cell) => cell.trim() !== "")) rows.push({ cells, line: begins, isBroken });
  }
  return { rows };
}

interface Quoted {
  readonly cell: string;
  /** Where the separator or the line end is. */
  readonly end: number;
  readonly isBroken: boolean;
}

/** Returns a cell in quotation marks. Undefined if it does not end. A mark ends it only before a separator or a line end. */
function parseQuoted(text: string, start: number, { separator, backslash }: Dialect): Quoted | undefined {
  const mark = backslash ? /["\\]/g : /"/g;
  const end = new RegExp(` *(?=[\\${separator}\r\n]|$)`, "y");
  let cell = "";
  let from = start + 1;
  let isBroken = false;
  mark.lastIndex = from;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [at, next] = [found.index, text[found.index + 1] ?? ""];
    end.lastIndex = at + 1;
    if (found[0] === "\\" ? /["\\]/.test(next) : next === '"') {
      cell += text.slice(from, at) + next;
      from = at + 2;
      mark.lastIndex = from;
    } else if (found[0] === '"' && end.test(text)) {
      return { cell: cell + text.slice(from, at), end: end.lastIndex, isBroken };
    } else isBroken ||= found[0] === '"';
  }
  return undefined;
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
