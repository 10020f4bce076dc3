import { createHash } from "node:crypto";
import { integer, optional, type Row, text } from "../../sqlite/database/columns.js";
import type { ContentCipher } from "../content-cipher.js";

/** A row by the columns of the target, in plain: what both databases must agree on. */
export type PlainRow = Readonly<Record<string, unknown>>;

export interface SourceRow {
  readonly plain: PlainRow;
  /** Returns the rows of the target, by their table. */
  readonly inserts: (cipher: ContentCipher) => Readonly<Record<string, PlainRow>>;
}

/** A table of the target, and how its rows are found in the source. */
export interface CopiedTable {
  readonly name: string;
  /** The tables of the target that it fills, with their columns. */
  readonly fills: Readonly<Record<string, readonly string[]>>;
  /** Selects the rows of the source, without WHERE. */
  readonly source: string;
  /** The columns that identify a row of the source, which it selects. Rows are read in their order. */
  readonly key: readonly string[];
  /** Reads a row of the source. @throws DamagedRowError */
  readonly fromSource: (row: Row) => SourceRow;
  /** Selects the rows of the target: one column, a JSON object. */
  readonly target: string;
  /** Reads a row of the target. @throws StorageError "damaged" */
  readonly fromTarget: (row: PlainRow, cipher: ContentCipher) => PlainRow;
}

type Read = (row: Row, column: string) => unknown;

/** Reads the columns of the source that have the name and the meaning of those of the target. */
export const read = {
  text,
  integer,
  optionalInteger: (row, column) => optional(integer, row, column) ?? null,
} as const satisfies Record<string, Read>;

/** Creates a table whose rows are inserted as they are read. */
export function plainTable(
  name: string,
  { source, key, columns }: { source: string; key: readonly string[]; columns: Readonly<Record<string, Read>> },
): CopiedTable {
  const names = Object.keys(columns);
  return {
    name,
    fills: { [name]: names },
    source,
    key,
    fromSource(row) {
      const plain = Object.fromEntries(Object.entries(columns).map(([column, from]) => [column, from(row, column)]));
      return { plain, inserts: () => ({ [name]: plain }) };
    },
    target: `SELECT json_build_object(${names.map((column) => `'${column}', ${column}`).join(", ")}) FROM ${name}`,
    fromTarget: (row) => row,
  };
}

/** Returns a digest of a row that is the same whatever the order of its members. */
export function digestOf(row: PlainRow): bigint {
  const json = JSON.stringify(row, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return BigInt(`0x${createHash("sha256").update(json).digest("hex")}`);
}
