import type { SQLOutputValue } from "node:sqlite";
import { DamagedRowError } from "./sqlite-error.js";

/** A row as node:sqlite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A column that holds text. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new DamagedRowError(`column ${column} holds no text`);
  return value;
}

/** A column that holds an integer; every integer that is kept here is a safe one. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new DamagedRowError(`column ${column} holds no integer`);
  return value;
}

/** A column that holds a number with a fraction. */
export function real(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new DamagedRowError(`column ${column} holds no number`);
  return value;
}

/** A column that holds 0 or 1. */
export function flag(row: Row, column: string): boolean {
  return integer(row, column) === 1;
}

/** A column that may hold NULL, which is `undefined` in the domain. */
export function optional<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | undefined {
  return row[column] === null ? undefined : read(row, column);
}

/** A column that holds one of a few words. */
export function word<const T extends string>(words: readonly T[], row: Row, column: string): T {
  const value = row[column];
  const known = words.find((each) => each === value);
  if (known === undefined) throw new DamagedRowError(`column ${column} holds an unknown word`);
  return known;
}

/** A column that holds a list of strings, as JSON. */
export function strings(row: Row, column: string): readonly string[] {
  const list = parsed(text(row, column));
  if (!Array.isArray(list) || !list.every((each) => typeof each === "string")) {
    throw new DamagedRowError(`column ${column} holds no list of strings`);
  }
  return list;
}

/** JSON text as a value; undefined when it is none. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
