import type {
  AuditRow,
  AuditSeal,
  DeviceAuthorization,
  Grant,
  ItemContent,
  ItemStatus,
  Principal,
  RegisteredOauthClient,
  Snapshots,
  StoredRecord,
  Vault,
} from "@platform-rpc/server";

/** A vault, and the sequence of its newest change. */
export interface VaultRow {
  readonly vault: Vault;
  readonly head: number;
}

/** An item, and the sequence of its newest change. */
export interface ItemRow {
  readonly status: ItemStatus;
  readonly content: ItemContent;
  readonly sequence: number;
}

/** Rows by their key. Rows are replaced, never changed. */
interface Table<Row> {
  get(...key: readonly string[]): Row | undefined;
  set(row: Row, ...key: readonly string[]): void;
  remove(...key: readonly string[]): void;
  /** Returns the rows, the newest key last. */
  all(): readonly Row[];
}

/** The data of a memory storage. */
export interface MemoryTables {
  readonly vaults: Table<VaultRow>;
  /** Roles. Undefined: not a member any more. */
  readonly members: Table<string | undefined>;
  readonly items: Table<ItemRow>;
  readonly deviceAuthorizations: Table<DeviceAuthorization>;
  readonly grants: Table<Grant>;
  readonly revocations: Table<number>;
  readonly oauthClients: Table<RegisteredOauthClient>;
  readonly principals: Table<Principal>;
  readonly records: Table<StoredRecord>;
  readonly clock: Table<Snapshots["clock"]["record"]>;
  readonly keys: Table<string>;
  /** By position. */
  readonly audit: Table<AuditRow>;
  readonly auditSeals: Table<AuditSeal>;
  /** Runs a change. If it throws, all tables are as before. */
  atomically<Result>(change: () => Result): Result;
}

/** Creates empty tables. */
export function createMemoryTables(): MemoryTables {
  const undo: (() => void)[] = [];
  return {
    vaults: createTable(undo),
    members: createTable(undo),
    items: createTable(undo),
    deviceAuthorizations: createTable(undo),
    grants: createTable(undo),
    revocations: createTable(undo),
    oauthClients: createTable(undo),
    principals: createTable(undo),
    records: createTable(undo),
    clock: createTable(undo),
    keys: createTable(undo),
    audit: createTable(undo),
    auditSeals: createTable(undo),
    atomically(change) {
      undo.length = 0;
      try {
        return change();
      } catch (error) {
        for (const step of undo.toReversed()) step();
        throw error;
      }
    },
  };
}

function createTable<Row>(undo: (() => void)[]): Table<Row> {
  const rows = new Map<string, Row>();
  return {
    get: (...key) => rows.get(JSON.stringify(key)),
    set(row, ...key) {
      const name = JSON.stringify(key);
      const before = rows.get(name);
      undo.push(() => {
        if (before === undefined) rows.delete(name);
        else rows.set(name, before);
      });
      rows.set(name, row);
    },
    remove: (...key) => void rows.delete(JSON.stringify(key)),
    all: () => [...rows.values()],
  };
}
