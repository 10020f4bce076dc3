import type { AccessLog, TableName } from "./working-set.js";

/** The loaded rows of one table. A row that was looked for and does not exist is loaded as `undefined`. */
export interface Rows<Row, Key extends readonly string[]> {
  /** Adds a row as it is in the database. A row that was added before stays. */
  load(key: Key, row: Row | undefined): void;
  /** Returns a row as the current decision sees it. @throws NotLoadedError */
  get(...key: Key): Row | undefined;
  /** Returns a row as the last decision left it, without recording that it was read. */
  peek(...key: Key): Row | undefined;
  /** Changes a row for later decisions. `undefined` removes it. */
  set(key: Key, row: Row | undefined): void;
  /** Returns a row as it was loaded. Undefined if it was written without being loaded. */
  loaded(...key: Key): { readonly row: Row | undefined } | undefined;
}

/** Thrown when a decision reads a row that was not loaded: the batch is loaded again, with this row. */
export class NotLoadedError extends Error {
  override readonly name = "NotLoadedError";

  constructor(
    readonly table: TableName,
    readonly key: readonly string[],
  ) {
    super(`A row of ${table} was not loaded`);
  }
}

export function createRows<Row, Key extends readonly string[]>(table: TableName, log: AccessLog): Rows<Row, Key> {
  const original = new Map<string, Row | undefined>();
  const current = new Map<string, Row | undefined>();
  const idOf = (key: Key) => `${table}\n${key.join("\n")}`;

  return {
    load(key, row) {
      const id = idOf(key);
      if (original.has(id)) return;
      original.set(id, row);
      current.set(id, row);
    },
    get(...key) {
      const id = idOf(key);
      if (!current.has(id)) throw new NotLoadedError(table, key);
      log.read(table, id, key);
      return current.get(id);
    },
    peek: (...key) => current.get(idOf(key)),
    set(key, row) {
      const id = idOf(key);
      const before = current.get(id);
      const existed = current.has(id);
      log.wrote(table, id, () => {
        if (existed) current.set(id, before);
        else current.delete(id);
      });
      current.set(id, row);
    },
    loaded(...key) {
      const id = idOf(key);
      return original.has(id) ? { row: original.get(id) } : undefined;
    },
  };
}
