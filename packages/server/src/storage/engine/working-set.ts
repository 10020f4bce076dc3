import type { ItemContent, ItemRef, ItemStatus } from "../../domain/model/item.js";
import type { RecordKey, StoredRecord } from "../../domain/model/record.js";
import type { Vault } from "../../domain/model/vault.js";
import type { Ref, Snapshots } from "../../ports/storage.js";

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
  /** Returns the earlier contents as they are stored. @throws NotLoadedError */
  readonly earlier: () => string;
}

/** An item with its vault, and the role of the principal for whom it was read. */
export interface ItemRows {
  readonly vault: VaultRow | undefined;
  readonly role: string | undefined;
  /** Undefined for a principal who is not a member, whether it exists or not. */
  readonly item: ItemRow | undefined;
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
  /** Reads what a ref needs of an item, unless it was loaded: see `Reader`. @param rows what was read before */
  readonly loadItem: (ref: ItemPlace, rows?: ItemRows) => void;
}

export type TableName = keyof Tables;

/** Is notified of every access to a row. `id` identifies the row in all tables. */
export interface AccessLog {
  read(table: TableName, id: string, key: readonly string[]): void;
  wrote(table: TableName, id: string, key: readonly string[], undo: () => void): void;
}

/** Reads rows when they are needed, from a database that answers at once. */
export interface Reader {
  readonly newVaultFloor: number;
  vault(tenantId: string, vaultId: string): VaultRow | undefined;
  record(tenantId: string, collection: string, key: string): StoredRecord | undefined;
  /** Reads an item with its vault and the role of a principal. Without a principal, membership is not required. */
  item(ref: ItemRef, principalId: string | undefined): ItemRows;
}

/** Creates an empty working set. @param reader reads what was not loaded. Default: nothing, and a call is decided again. */
export function createWorkingSet(log: AccessLog, reader?: Reader): WorkingSet {
  const findItem: Tables["items"]["get"] = (tenantId, vaultId, itemId) =>
    reader?.item({ tenantId, vaultId, itemId }, undefined).item;
  const vaults = createRows("vaults", log, reader?.vault);
  const members: Tables["members"] = createRows("members", log);
  const items = createRows("items", log, reader && findItem);
  return {
    ...{ vaults, members, items },
    records: createRows("records", log, reader?.record),
    newVaultFloor: reader?.newVaultFloor ?? 0,
    loadItem(ref, found) {
      if (reader === undefined) return;
      const { tenantId, vaultId, itemId, principalId } = ref;
      const isKnown = principalId === undefined || members.loaded(tenantId, vaultId, principalId) !== undefined;
      if (isKnown && items.loaded(tenantId, vaultId, itemId) !== undefined) return;
      const rows = found ?? reader.item(ref, principalId);
      vaults.load([tenantId, vaultId], rows.vault);
      if (principalId !== undefined) members.load([tenantId, vaultId, principalId], rows.role);
      // The item of a vault that the principal is not a member of was not read: it may exist.
      if (principalId === undefined || rows.role !== undefined) items.load([tenantId, vaultId, itemId], rows.item);
    },
  };
}

/** An item, and the principal for whom it is read. */
type ItemPlace = ItemRef & { readonly principalId?: string };

/**
 * Returns the snapshot of a ref, from rows that were loaded and then changed by earlier decisions.
 *
 * @param stored the rows of an item as they are stored, instead of those of the working set
 * @throws NotLoadedError
 */
export function snapshotOf(set: WorkingSet, ref: Ref, stored?: ItemRows): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item": {
      const { principalId, record } = ref;
      const rows = stored ?? itemRows(set, ref);
      const mayRead = rows.vault !== undefined && (principalId === undefined || rows.role !== undefined);
      const snapshot = itemSnapshotOf(rows, record && mayRead ? set.records.get(...keyOf(record)) : undefined);
      return ref.to && mayRead ? { ...snapshot, to: itemSnapshotOf(itemRows(set, ref.to)) } : snapshot;
    }
    case "vault":
      return { vault: set.vaults.get(ref.tenantId, ref.vaultId)?.vault };
    case "records":
      return {
        find: (key) => set.records.get(...keyOf(key)),
        vault: ref.vault && set.vaults.get(ref.vault.tenantId, ref.vault.vaultId)?.vault,
      };
  }
}

/** Returns the rows of an item. Without a vault, or for a principal who is not a member, none of the item was loaded. */
function itemRows(set: WorkingSet, ref: ItemPlace): ItemRows {
  const { tenantId, vaultId, itemId, principalId } = ref;
  set.loadItem(ref);
  const vault = set.vaults.get(tenantId, vaultId);
  const role = vault && principalId !== undefined ? set.members.get(tenantId, vaultId, principalId) : undefined;
  const mayRead = vault !== undefined && (principalId === undefined || role !== undefined);
  return { vault, role, item: mayRead ? set.items.get(tenantId, vaultId, itemId) : undefined };
}

export function itemSnapshotOf({ vault, role, item }: ItemRows, record?: StoredRecord): Snapshots["item"] {
  return {
    vault: vault?.vault,
    role,
    record,
    item: item && { ...item.status, sequence: item.sequence, content: item.content, earlier: item.earlier },
    floor: vault?.floor ?? 0,
  };
}

export function keyOf({ tenantId, collection, key }: RecordKey): [tenantId: string, collection: string, key: string] {
  return [tenantId, collection, key];
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
  readonly table: TableName | "earlier";
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
  find?: (...key: Key) => Row | undefined,
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
