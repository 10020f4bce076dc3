import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { DamagedRowError } from "./sqlite-error.js";

/** A row as node:sqlite returns it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * Prepares a statement that reads one row, and is called often. For an object, node:sqlite creates the names of the columns again in each
 * row, which is up to a third of the read. Here, it returns an array, and the names are created once.
 */
export function prepareGet(database: DatabaseSync, sql: string): (...parameters: SQLInputValue[]) => Row | undefined {
  const { statement, toRow } = prepareArrays(database, sql);
  return (...parameters) => {
    const values = statement.get(...parameters);
    return values && toRow(values);
  };
}

/** The same for a statement with named parameters that reads many rows. */
export function prepareAll(database: DatabaseSync, sql: string): (parameters: Record<string, SQLInputValue>) => Row[] {
  const { statement, toRow } = prepareArrays(database, sql);
  return (parameters) => statement.all(parameters).map(toRow);
}

function prepareArrays(database: DatabaseSync, sql: string) {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  const toRow = (values: Readonly<Record<number, SQLOutputValue>>): Row => {
    const row: Record<string, SQLOutputValue> = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index] ?? null;
    return row;
  };
  return { statement, toRow };
}

/** Reads a text column. @throws DamagedRowError, like every function in this file. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new DamagedRowError(`column ${column} is not text`);
  return value;
}

/** Reads an integer column. All stored integers are safe integers. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new DamagedRowError(`column ${column} is not an integer`);
  return value;
}

/** Reads a column that contains 0 or 1. */
export function flag(row: Row, column: string): boolean {
  return integer(row, column) === 1;
}

/** Reads a nullable column. NULL becomes `undefined`. */
export function optional<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | undefined {
  return row[column] === null ? undefined : read(row, column);
}

export function word<const T extends string>(words: readonly T[], row: Row, column: string): T {
  const value = row[column];
  const known = words.find((each) => each === value);
  if (known === undefined) throw new DamagedRowError(`column ${column} contains an unknown word`);
  return known;
}

/** The columns that identify rows. None has content. */
const ids =
  /^(?:(?:tenant_|vault_|item_|principal_|subject_tenant_)?id|vault|item|collection|key|position|sequence|number)$/;

/** Compares a row with its checksum. The error names the table, and the ids in the row. */
export function requireChecksum(row: Row, expected: number, table: string, column = "checksum"): void {
  if (integer(row, column) !== expected) throw damagedRow(row, table);
}

/** Creates the error for a row that does not match its checksum. @param known ids that are not in the row */
export function damagedRow(row: Row, table: string, known: Readonly<Record<string, unknown>> = {}): DamagedRowError {
  const found = Object.entries({ ...row, ...known }).filter(
    ([name, id]) => id !== "" && (ids.test(name) || name in known),
  );
  const place = `${table} ${JSON.stringify(Object.fromEntries(found))}`;
  return new DamagedRowError(`a row of ${table} does not match its checksum`, place);
}
