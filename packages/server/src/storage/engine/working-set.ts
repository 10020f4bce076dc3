import type { ItemContent, ItemStatus } from "../../domain/model/item.js";
import type { StoredRecord } from "../../domain/model/record.js";
import type { Vault } from "../../domain/model/vault.js";

export interface VaultRow {
  readonly vault: Vault;
  /** The sequence of its newest change when it was loaded, plus the changes that this batch has decided since. */
  readonly head: number;
  /** Sequences and new versions are greater than it. 0 until a backup was restored. */
  readonly floor: number;
}

/** An item with functions that read its content. */
export interface ItemRow {
  readonly status: ItemStatus;
  readonly sequence: number;
  /** Returns the part of the content that is not erased. */
  readonly description: () => ContentDescription;
  readonly content: () => ItemContent;
}

/** The part of a content that shredding does not erase, and that is not encrypted at rest. */
export interface ContentDescription {
  readonly kind: string;
  readonly alg: string;
  readonly payloadVersion: number;
}

/**
 * The rows that the decisions of one batch see: as loaded, and then as earlier decisions of the batch have changed them.
 *
 * It also records which call has read and written which row, because calls that share a written row commit together.
 */
interface Tables {
  readonly vaults: Rows<VaultRow, [tenantId: string, vaultId: string]>;
  /** The role of each member. */
  readonly members: Rows<string, [tenantId: string, vaultId: string, principalId: string]>;
  readonly items: Rows<ItemRow, [tenantId: string, vaultId: string, itemId: string]>;
  readonly records: Rows<StoredRecord, [tenantId: string, collection: string, key: string]>;
}

export interface WorkingSet extends Tables {
  /** The floor of vaults that are created: see `epoch.ts`. It was loaded if a vault was. */
  newVaultFloor: number;
}

export type TableName = keyof Tables;

/** Is notified of every access to a row. `id` identifies the row in all tables. */
export interface AccessLog {
  read(table: TableName, id: string, key: readonly string[]): void;
  wrote(table: TableName, id: string, key: readonly string[], undo: () => void): void;
}

/** Reads a row that was not loaded, from a database that answers at once. */
type Find<Table extends TableName> = (...key: Parameters<Tables[Table]["get"]>) => ReturnType<Tables[Table]["get"]>;
export type FindRows = { readonly [Table in TableName]?: Find<Table> };

/** Creates an empty working set. @param find reads what was not loaded. Default: nothing, and a call is decided again. */
export function createWorkingSet(log: AccessLog, find: FindRows = {}): WorkingSet {
  return {
    vaults: createRows("vaults", log, find.vaults),
    members: createRows("members", log, find.members),
    items: createRows("items", log, find.items),
    records: createRows("records", log, find.records),
    newVaultFloor: 0,
  };
}

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

export interface MissingRow {
  readonly table: TableName;
  readonly key: readonly string[];
}

/** Thrown when decisions read rows that were not loaded: the batch is loaded again, with these rows. */
export class NotLoadedError extends Error {
  override readonly name = "NotLoadedError";

  constructor(readonly missing: readonly MissingRow[]) {
    super(`Rows were not loaded: ${missing.map(({ table }) => table).join(", ")}`);
  }
}

function createRows<Row, Key extends readonly string[]>(
  table: TableName,
  log: AccessLog,
  find: ((...key: Key) => Row | undefined) | undefined,
): Rows<Row, Key> {
  const original = new Map<string, Row | undefined>();
  const current = new Map<string, Row | undefined>();
  const idOf = (key: Key) => `${table}\n${key.join("\n")}`;

  const load = (key: Key, row: Row | undefined): void => {
    const id = idOf(key);
    if (original.has(id)) return;
    original.set(id, row);
    if (!current.has(id)) current.set(id, row);
  };

  return {
    load,
    get(...key) {
      const id = idOf(key);
      if (!current.has(id)) {
        if (find === undefined) throw new NotLoadedError([{ table, key }]);
        load(key, find(...key));
      }
      log.read(table, id, key);
      return current.get(id);
    },
    peek: (...key) => current.get(idOf(key)),
    set(key, row) {
      const id = idOf(key);
      const before = current.get(id);
      const existed = current.has(id);
      log.wrote(table, id, key, () => {
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
