import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { prepareGet, type Row } from "../database/columns.js";

interface UniqueIndex {
  /** Selects entries of the index, with the rows that they lead to, without WHERE. */
  readonly entries: string;
  /** The columns of the index. */
  readonly key: readonly string[];
  /** @throws DamagedRowError if an entry and its row differ */
  readonly verify: (row: Row) => void;
}

/**
 * Creates a function that is called when an index does not find a key. It verifies the entry before the place of the key, and the one
 * after it. If one bit of an index has changed, a search for a row that exists ends beside the changed entry: that of the row itself, or one
 * that led the search astray.
 */
export function createGapCheck(database: DatabaseSync, { entries, key, verify }: UniqueIndex) {
  const columns = key.join(", ");
  const beside = (order: string, sign: string) =>
    prepareGet(
      database,
      `${entries} WHERE (${columns}) ${sign} (${key.map(() => "?").join(", ")})
      ORDER BY ${key.map((column) => `${column} ${order}`).join(", ")} LIMIT 1`,
    );
  const before = beside("DESC", "<");
  const after = beside("ASC", ">");
  return (...values: SQLInputValue[]): void => {
    for (const row of [before(...values), after(...values)]) if (row !== undefined) verify(row);
  };
}
