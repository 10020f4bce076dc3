import { stripVTControlCharacters, styleText } from "node:util";
import { printable } from "@platform-rpc/client";
import { printableLines } from "@platform-rpc/signed-in";
import type { Terminal } from "./terminal.js";

type Style = Parameters<typeof styleText>[0];

type Screen = Pick<Terminal, "outBytes" | "isOutTerminal" | "environment">;

/** A text, and how a terminal shows it. */
export interface Styled {
  readonly text: string;
  readonly style: Style;
}

export type Cell = string | Styled;

/** Returns whether results have colour: on a terminal, unless the person has switched it off (https://no-color.org). */
export function hasColour({ isOutTerminal, environment }: Pick<Terminal, "isOutTerminal" | "environment">): boolean {
  const { NO_COLOR, TERM } = environment;
  return isOutTerminal && !NO_COLOR && TERM !== "dumb";
}

/** Returns a cell as text for a terminal, escaped. */
function textOf(terminal: Screen, cell: Cell): string {
  const { text, style } = typeof cell === "string" ? { text: cell, style: undefined } : cell;
  const escaped = printableLines(text);
  return style === undefined || !hasColour(terminal) ? escaped : styleText(style, escaped, { validateStream: false });
}

export function printStyled(terminal: Screen, ...cells: readonly Cell[]): void {
  const line = cells.map((cell) => textOf(terminal, cell)).join("");
  terminal.outBytes(Buffer.from(`${line}\n`));
}

/** Writes rows with aligned columns. Each cell is one line. */
export function printTable(terminal: Screen, rows: readonly (readonly Cell[])[]): void {
  const lines = rows.map((cells) =>
    cells.map((cell) =>
      typeof cell === "string" ? printable(cell) : { text: printable(cell.text), style: cell.style },
    ),
  );
  const widthOf = (cell: Cell | undefined) => widthInColumns(typeof cell === "string" ? cell : (cell?.text ?? ""));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column]))));
  for (const cells of lines) {
    const line = cells
      .map((cell, column) => textOf(terminal, cell) + " ".repeat((widths[column] ?? 0) - widthOf(cell)))
      .join("  ");
    terminal.outBytes(Buffer.from(`${line.trimEnd()}\n`));
  }
}

export function head(...names: readonly string[]): readonly Cell[] {
  return names.map((text) => ({ text, style: "dim" }));
}

/** Characters of East Asia, and emoji, fill two columns; combining marks none. */
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6])/u;

function widthInColumns(text: string): number {
  const segments = new Intl.Segmenter().segment(stripVTControlCharacters(text));
  return [...segments].reduce((width, { segment }) => width + (wide.test(segment) ? 2 : 1), 0);
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** Returns a time for a person: "3 min ago", or as ISO 8601 if no terminal shows it. */
export function timeIn(terminal: Pick<Terminal, "isOutTerminal">, iso: string, now = Date.now()): string {
  if (!terminal.isOutTerminal || iso === "") return iso;
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? [];
  if (unit === undefined || size === undefined) return "just now";
  const count = Math.floor(Math.abs(seconds) / size);
  const words = `${count} ${unit}${count > 1 && size >= 86_400 ? "s" : ""}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
