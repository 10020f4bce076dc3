import type { DatabaseSync } from "node:sqlite";
import { integer, optional, text } from "../database/columns.js";

export interface IndexedTable {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The SQL of whether every index, and a primary key that is not a row id, find the row that is read. */
  readonly found: string;
}

/** Lists the tables of a database that have indexes, so that no new index is forgotten. */
export function indexedTables(database: DatabaseSync): readonly IndexedTable[] {
  const names = database.prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'");
  const columns = database.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk");
  const indexes = database.prepare(`
    SELECT list.name AS name, origin, sql FROM pragma_index_list(?) AS list LEFT JOIN sqlite_schema AS stored ON stored.name = list.name`);
  const entries = database.prepare("SELECT name FROM pragma_index_xinfo(?) WHERE name IS NOT NULL");
  const tables = names.all().filter((row) => !text(row, "name").startsWith("sqlite_"));
  return tables.flatMap((row) => {
    const table = text(row, "name");
    const hasRowIds = integer(row, "wr") === 0;
    const key = columns.all(table).map((column) => text(column, "name"));
    const finds = (by: string, names: readonly string[], ...conditions: readonly string[]) => {
      const equal = names.map((name) => `entry.${name} = ${table}.${name}`);
      return `EXISTS (SELECT 1 FROM ${table} AS entry ${by} WHERE ${[...equal, ...conditions].join(" AND ")})`;
    };
    const others = indexes.all(table).filter((index) => text(index, "origin") !== "pk");
    const byIndexes = others.map((index) => {
      const name = text(index, "name");
      const [, condition] = optional(text, index, "sql")?.split(" WHERE ") ?? [];
      const named = entries.all(name).map((entry) => text(entry, "name"));
      // Where a table has row ids, the entries of its indexes end with them.
      const all = hasRowIds ? [...named, ...key] : named;
      if (condition === undefined) return finds(`INDEXED BY ${name}`, all);
      return `iif(${table}.${condition}, ${finds(`INDEXED BY ${name}`, all, `entry.${condition}`)}, 1)`;
    });
    const found = hasRowIds ? byIndexes : [finds("", key), ...byIndexes];
    return found.length === 0 ? [] : [{ table, key, found: found.join(" AND ") }];
  });
}
