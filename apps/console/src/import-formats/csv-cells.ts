import { type Meaning, meaningOf } from "./csv-columns.js";
import { isObject, textOf, wordsOf } from "./json.js";

export interface Cell {
  readonly name: string;
  readonly meaning: Meaning;
  readonly text: string;
}

/** Returns the values in a row. Some programs write several into one cell, or other cells than the header has. */
export function cellsOf(
  row: readonly string[],
  header: readonly string[],
  columns: readonly Meaning[],
): readonly Cell[] {
  const cells = row.map((text, index): Cell => {
    const last = header.length - 1;
    return { name: header[Math.min(index, last)] ?? "", meaning: columns[Math.min(index, last)] ?? "secret", text };
  });
  const kind = cells.find(({ meaning }) => meaning === "kind")?.text ?? "";
  return cells.flatMap((cell) => {
    // LastPass writes it for items that are not logins.
    if (cell.text === "http://sn") return [];
    if (oneTimeCode.test(cell.text) && cell.meaning !== "none") return [{ ...cell, meaning: "one_time_code" }];
    if (cell.meaning === "notes") return noteCells(cell, kind);
    return cell.meaning === "fields" ? fieldCells(cell, cells) : [cell];
  });
}

/** Returns the values in a row of Enpass: the title, then names and values, and the notes. */
export function enpassCells([title = "", ...others]: readonly string[]): readonly Cell[] {
  const pairs = others.slice(0, others.length - (others.length % 2));
  const fields = pairs.flatMap((text, index) => (index % 2 === 1 ? [named(pairs[index - 1] ?? "", text)] : []));
  const notes = others.length % 2 === 1 ? (others.at(-1) ?? "") : "";
  return [{ name: "Title", meaning: "title", text: title }, ...fields, { name: "Note", meaning: "notes", text: notes }];
}

/** What says something about the whole item in a column, and nothing in a list of its fields. */
const notFields: readonly Meaning[] = ["title", "folder", "tags", "favourite", "archived", "kind", "fields", "none"];

/** What is a one-time code in every column. */
const oneTimeCode = /^\s*otpauth:\/\/\S+\s*$/i;

/** Returns a value whose name is known, or hidden. */
function named(name: string, text: string): Cell {
  const label = name.replace(/^\*/, "").trim();
  const known = oneTimeCode.test(text) ? "one_time_code" : meaningOf(label);
  return { name: label, meaning: notFields.includes(known) ? "secret" : known, text };
}

/** The notes of LastPass, and those of Proton Pass, contain the fields of items that are not logins. */
function noteCells(cell: Cell, kind: string): readonly Cell[] {
  const [start = "", noteType] = /^NoteType:(.*)(?:\r\n|\r|\n|$)/.exec(cell.text) ?? [];
  if (noteType !== undefined) {
    const [list = "", ...notes] = cell.text.slice(start.length).split(/^Notes:/m);
    const fields = linesIn(list, ":").map(([name, text]) => named(name, text === "," ? "" : text));
    return [{ name: "Kind", meaning: "kind", text: noteType }, ...fields, { ...cell, text: notes.join("Notes:") }];
  }
  const members = /^(|login|note|secure_?note)$/i.test(kind) ? undefined : parse(cell.text);
  if (!isObject(members)) return [cell];
  return Object.entries(members).map(([name, value]) => ({ ...named(name, anyText(value)), name: wordsOf(name) }));
}

/** The fields that a person added: a list in JSON, a field of RoboForm, or lines of Bitwarden. Nothing says which of them are secrets. */
function fieldCells({ name, text }: Cell, others: readonly Cell[]): readonly Cell[] {
  const hidden = (label: string, value: string): Cell => ({ name: label, meaning: "secret", text: value });
  const list = parse(text);
  if (Array.isArray(list) && list.every(isObject)) {
    return list.map(({ label, name: called, title, key, value, ...rest }) =>
      hidden([label, called, title, key].map(textOf).find((each) => each !== "") ?? name, anyText(value ?? rest)),
    );
  }
  const [, label, value] = /^([^$\r\n]*)[$\r\n]+,[^,]*,[^,]*,[a-z]+,(.*)$/s.exec(text) ?? [];
  if (label !== undefined && value !== undefined) {
    const isKnown = others.some((other) => /username|password/.test(other.meaning) && other.text === value);
    return isKnown ? [] : [named(label, value)];
  }
  return linesIn(text, ": ").map(([called, line]) => hidden(called || name, line));
}

/** Returns the names and values in lines. A line without a name, and one inside of a key, continues the value before. */
function linesIn(text: string, separator: string): readonly (readonly [name: string, value: string])[] {
  const fields: [name: string, value: string][] = [];
  let isInKey = false;
  for (const line of text.split(/(?<=\n)|(?<=\r)(?!\n)/)) {
    const at = isInKey || line.startsWith("-----") ? -1 : line.indexOf(separator);
    const last = fields.at(-1);
    if (/\p{L}/u.test(line.slice(0, Math.max(at, 0)))) {
      fields.push([line.slice(0, at), line.slice(at + separator.length)]);
    } else if (last === undefined) fields.push(["", line]);
    else last[1] += line;
    if (line.includes("-----BEGIN ")) isInKey = true;
    if (line.includes("-----END ")) isInKey = false;
  }
  return fields.map(([name, value]) => [name, value.replace(/(?:\r\n|\r|\n)$/, "")]);
}

function anyText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value);
}

/** Returns the texts in a list in JSON. Undefined for any other text. */
export function textsIn(text: string): readonly string[] | undefined {
  const list = parse(text);
  return Array.isArray(list) && list.every((each) => typeof each === "string") ? list : undefined;
}

/** Returns a list or an object in JSON. Undefined for any other text. */
function parse(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
