import { type Item, ItemSchema } from "@platform-rpc/types";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { shredded, stateOf } from "../items/item-state.js";

/** Why a copy was discarded, when, and the change up to which it went. */
export interface DiscardedCopy {
  /**
   * `behind`: the history of the server ends before the copy. `older`: the server lists an older version of an item than the copy has.
   * `differs`: the copy is not what a device of the person has signed.
   */
  readonly what: "behind" | "older" | "differs";
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly sequence: number;
}

/** The copy of a vault that the browser kept when the page was left. */
export interface KeptCopy {
  /** The position up to which it is complete. */
  readonly sequence: number;
  /** Tombstones included. */
  readonly items: readonly Item[];
  /** Why the browser has discarded a copy of the vault before. Undefined: it has not. */
  readonly discarded: DiscardedCopy | undefined;
}

/** What the browser keeps of a vault. Nothing rejects: without storage, it keeps nothing. */
export interface KeptVault {
  read(): Promise<KeptCopy | undefined>;
  /** Adds the items that the server has listed after a position, up to another one, and moves the position in the same step. */
  add(items: readonly Item[], after: number, sequence: number): void;
  /** Removes the contents of items that the server has destroyed: it lists no change of them. */
  erase(items: readonly Item[]): void;
  discard(reason: DiscardedCopy): void;
}

/** What the browser keeps of all vaults of a person. */
export interface KeptCopies {
  /** Returns the vaults as they were listed last. Undefined: they are not kept. */
  vaults(): Promise<readonly MemberVault[] | undefined>;
  /** Keeps the vaults that the server lists, and removes everything of all others: they are lost. */
  list(vaults: readonly MemberVault[]): void;
  vault(vaultId: string): KeptVault;
}

type Key = string[];

/** The records of the browser, in one transaction. It ends as soon as nothing more is requested of it. */
export interface Records {
  get<Value>(key: Key): Promise<Value | undefined>;
  /** Returns the values whose keys begin with this one, without its own. */
  below<Value>(key: Key): Promise<Value[]>;
  put(key: Key, value: unknown): void;
  /** Removes a value, and those whose keys begin with its key. */
  remove(key: Key): void;
}

/** Where copies are kept: IndexedDB, or a Map in a test. */
export interface RecordStore {
  transact<Result>(mode: IDBTransactionMode, work: (records: Records) => Promise<Result>): Promise<Result>;
}

/** The record that says whose the others are. */
interface Owner {
  readonly owner: string;
  /** Random: of a browser that was emptied, no page of before keeps anything. */
  readonly id: string;
}

type VaultRecord = Omit<KeptCopy, "items">;

const ownerKey = ["owner"];
const vaultsKey = ["vaults"];
const keyOf = (vaultId: string, ...itemId: readonly string[]) => ["vault", vaultId, ...itemId];

/** A page of another release may know items with other fields. */
const fields = ItemSchema.fields.map(({ localName }) => localName);

/**
 * Creates the copies of a person's vaults in this browser. Those of anybody else are removed. Pages of several tabs write the same copies: each
 * listed page is stored with its position in one transaction, and only if it goes on where the stored copy ends.
 *
 * @param idle resolves when it is time to write
 */
export function createKeptCopies(
  person: { readonly tenantId: string; readonly principalId: string },
  store: RecordStore,
  idle: () => Promise<void>,
  now = Date.now,
): KeptCopies {
  const owner = JSON.stringify([person.tenantId, person.principalId, fields]);
  const opening = store.transact("readwrite", async (records) => {
    const known = await records.get<Owner>(ownerKey);
    if (known?.owner === owner) return known.id;
    const id = crypto.randomUUID();
    records.remove([]);
    records.put(ownerKey, { owner, id });
    return id;
  });

  /** Resolves with undefined if the browser does not keep the copies, or not any more. */
  const inOwn = async <Result>(mode: IDBTransactionMode, work: (records: Records) => Promise<Result>) => {
    const id = await opening;
    return store.transact(mode, async (records) =>
      (await records.get<Owner>(ownerKey))?.id === id ? work(records) : undefined,
    );
  };
  const read = <Result>(work: (records: Records) => Promise<Result>) => inOwn("readonly", work).catch(() => undefined);

  let writing: Promise<unknown> = opening;
  /** Writes after what is shown. Once it fails, such as without space, nothing more is written: the next page load goes on from there. */
  const write = (work: (records: Records) => Promise<void>) => {
    writing = writing.then(idle).then(() => inOwn("readwrite", work));
    writing.catch(() => undefined);
  };

  return {
    vaults: () => read((records) => records.get(vaultsKey)),

    list(vaults) {
      write(async (records) => {
        const before = new Set((await records.get<MemberVault[]>(vaultsKey))?.map(({ vaultId }) => vaultId));
        for (const { vaultId } of vaults) {
          const isNew = !before.delete(vaultId);
          if (isNew) records.put(keyOf(vaultId), { sequence: 0 });
        }
        for (const lost of before) records.remove(keyOf(lost));
        records.put(vaultsKey, vaults);
      });
    },

    vault(vaultId) {
      const erase = (items: readonly Item[]) =>
        write(async (records) => {
          for (const item of items) {
            const key = keyOf(vaultId, item.itemId);
            const { version } = (await records.get<Item>(key)) ?? {};
            if (version === item.version) records.put(key, item);
          }
        });
      return {
        erase,

        async read() {
          const kept = await read(async (records) => {
            const record = await records.get<VaultRecord>(keyOf(vaultId));
            const listed = await records.get<MemberVault[]>(vaultsKey);
            const items = await records.below<Item>(keyOf(vaultId));
            return (
              record && {
                ...record,
                items,
                retentionDays: listed?.find((vault) => vault.vaultId === vaultId)?.retentionDays,
              }
            );
          });
          if (kept === undefined) return undefined;
          const { sequence, items, discarded, retentionDays } = kept;
          // The server has destroyed them since.
          const isOver = (item: Item) => {
            const found = item.deleted && stateOf(item, retentionDays);
            return (
              found && found.state === "deleted" && found.shredAt !== undefined && found.shredAt.getTime() <= now()
            );
          };
          const over = items.filter(isOver).map(shredded);
          if (over.length > 0) erase(over);
          const erased = new Map(over.map((item) => [item.itemId, item]));
          return { sequence, items: items.map((item) => erased.get(item.itemId) ?? item), discarded };
        },

        add(items, after, sequence) {
          write(async (records) => {
            const record = await records.get<VaultRecord>(keyOf(vaultId));
            if (record === undefined || after > record.sequence || sequence <= record.sequence) return;
            for (const item of items) records.put(keyOf(vaultId, item.itemId), item);
            records.put(keyOf(vaultId), { ...record, sequence });
          });
        },

        discard(discarded) {
          write(async (records) => {
            records.remove(keyOf(vaultId));
            records.put(keyOf(vaultId), { sequence: 0, discarded });
          });
        },
      };
    },
  };
}
