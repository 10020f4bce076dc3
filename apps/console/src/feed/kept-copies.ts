import { type Item, ItemSchema } from "@platform-rpc/types";
import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { shredded, stateOf } from "../items/item-state.js";
import { type KeptPerson, personKey } from "../session/kept-person.js";

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

export interface KeptCopy {
  /** The position up to which it is complete. */
  readonly sequence: number;
  /** When the server last said so, in milliseconds since the epoch. Undefined: unknown. */
  readonly at?: number | undefined;
  /** Tombstones included. */
  readonly items: readonly Item[];
  /** Why the browser has discarded a copy of the vault before. Undefined: it has not. */
  readonly discarded: DiscardedCopy | undefined;
}

type OnItems = (items: readonly Item[]) => void;

/** What the browser keeps of a vault. Nothing rejects: without storage, it keeps nothing. */
export interface KeptVault {
  /** Resolves with all of it. Before, it calls a function with a few items, which the page shows at once. */
  read(onFirst?: OnItems): Promise<KeptCopy | undefined>;
  /** Adds the items that the server has listed after a position, up to another one, and moves the position in the same step. */
  add(items: readonly Item[], after: number, sequence: number): void;
  /** Removes the contents of items that the server has destroyed: it lists no change of them. */
  erase(items: readonly Item[]): void;
  discard(reason: DiscardedCopy): void;
}

export interface KeptCopies {
  /** The vaults as they were listed when the page was left. Undefined: they are not kept. */
  readonly vaults: Promise<readonly MemberVault[] | undefined>;
  /** Keeps the vaults that the server lists, and removes everything of all others: they are lost. */
  list(vaults: readonly MemberVault[]): void;
  /**
   * Keeps whose copies these are, for a page without a network. It leaves the browser with them. What is read last is kept: each call reads after
   * the one before has read.
   */
  keepPerson(read: () => Promise<KeptPerson>): Promise<void>;
  vault(vaultId: string): KeptVault;
  /** Resolves with the keys of the items that the person used last, the newest first. Nothing else of them is kept. */
  recent(): Promise<readonly string[]>;
  use(itemKey: string): void;
}

type Key = (string | number)[];

/** The records of the browser, in one transaction. It ends as soon as nothing more is requested of it. */
export interface Records {
  get<Value>(key: Key): Promise<Value | undefined>;
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

interface VaultRecord extends Pick<KeptCopy, "sequence" | "at"> {
  readonly discarded?: DiscardedCopy;
  /** How many pages of items it has. A browser reads and writes them eight times faster than items. */
  readonly pages: number;
}

const ownerKey = ["owner"];
const vaultsKey = ["vaults"];
const recentKey = ["recent"];
const keyOf = (vaultId: string, ...page: readonly number[]) => ["vault", vaultId, ...page];

/** A page of another release may know items with other fields. */
const fields = ItemSchema.fields.map(({ localName }) => localName);

/** How many items a page has when it is written again, and how many pages a copy may have more than it needs. */
const [pageSize, mostMorePages] = [500, 16];

const mostRecent = 6;

/** How much too early the clock of a computer may be, in days. */
const clockDays = 90;

/** How many items are shown before all are read. */
const firstItems = 50;

/** Whether the server has destroyed the content of an item since: its retention has ended. */
function isOver(item: Item, retentionDays: number | undefined, now: number): boolean {
  const found = stateOf(item, retentionDays);
  return found.state === "deleted" && found.shredAt !== undefined && found.shredAt.getTime() <= now;
}

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
    if (known?.owner === owner) {
      const vaults = await records.get<MemberVault[]>(vaultsKey);
      return { id: known.id, vaults, recent: await records.get<string[]>(recentKey) };
    }
    const id = crypto.randomUUID();
    records.remove([]);
    records.put(ownerKey, { owner, id });
    return { id, vaults: undefined, recent: undefined };
  });

  /** Resolves with undefined if the browser does not keep the copies, or not any more. */
  const inOwn = async <Result>(mode: IDBTransactionMode, work: (records: Records) => Promise<Result>) => {
    const { id } = await opening;
    return store.transact(mode, async (records) =>
      (await records.get<Owner>(ownerKey))?.id === id ? work(records) : undefined,
    );
  };
  const read = <Result>(work: (records: Records) => Promise<Result>) => inOwn("readonly", work).catch(() => undefined);

  let writing: Promise<unknown> = opening;
  /** Writes after what is shown. What cannot be written, such as without space, is fetched again by the next page load. */
  const write = (work: (records: Records) => Promise<void>) => {
    writing = writing.then(idle, idle).then(() => inOwn("readwrite", work));
    writing.catch(() => undefined);
  };

  let readingPerson: Promise<unknown> = Promise.resolve();

  let recent: Promise<readonly string[]> = opening.then(
    ({ recent = [] }) => recent,
    () => [],
  );

  return {
    recent: () => recent,

    use(itemKey) {
      const used = (before: readonly string[]) =>
        [itemKey, ...before.filter((key) => key !== itemKey)].slice(0, mostRecent);
      recent = recent.then(used);
      // Another tab has its own.
      write(async (records) => records.put(recentKey, used((await records.get<string[]>(recentKey)) ?? [])));
    },

    vaults: opening.then(
      ({ vaults }) => vaults,
      () => undefined,
    ),

    list(vaults) {
      const idsIn = async (records: Records) =>
        new Set((await records.get<MemberVault[]>(vaultsKey))?.map(({ vaultId }) => vaultId));
      // First, and on its own: a full browser can still remove.
      write(async (records) => {
        const lost = await idsIn(records);
        for (const { vaultId } of vaults) lost.delete(vaultId);
        for (const vaultId of lost) records.remove(keyOf(vaultId));
      });
      write(async (records) => {
        const before = await idsIn(records);
        for (const { vaultId } of vaults)
          if (!before.has(vaultId)) records.put(keyOf(vaultId), { sequence: 0, pages: 0 });
        records.put(vaultsKey, vaults);
        const used = (await records.get<string[]>(recentKey)) ?? [];
        const isListed = (itemKey: string) => vaults.some(({ vaultId }) => itemKey.startsWith(`${vaultId}/`));
        if (!used.every(isListed)) records.put(recentKey, used.filter(isListed));
      });
    },

    async keepPerson(read) {
      const person = readingPerson.then(read, read);
      readingPerson = person;
      const found = await person;
      write(async (records) => records.put(personKey, found));
    },

    vault(vaultId) {
      /** Works with the record of the vault, if there is one. */
      const withRecord =
        <Result>(work: (records: Records, record: VaultRecord) => Promise<Result>) =>
        async (records: Records) => {
          const record = await records.get<VaultRecord>(keyOf(vaultId));
          return record && work(records, record);
        };

      /** What is erased when the copy is written again. */
      const erased = new Map<string, Item>();
      const erase = (items: readonly Item[]) => {
        if (items.length > 0 && erased.size === 0) write(pack);
        for (const item of items) erased.set(item.itemId, item);
      };

      /** Reads the newest pages first: what they contain takes the place of what older ones do. */
      async function readItems(records: Records, pages: number, onFirst?: OnItems) {
        const listed = await records.get<MemberVault[]>(vaultsKey);
        const retentionDays = listed?.find((vault) => vault.vaultId === vaultId)?.retentionDays;
        const items = new Map<string, Item>();
        for (let page = pages - 1; page >= 0; page -= 1) {
          const found = (await records.get<Item[]>(keyOf(vaultId, page))) ?? [];
          const over = found.filter((item) => isOver(item, retentionDays, now())).map(shredded);
          // Not earlier: nothing brings back what a wrong clock of this computer has erased.
          erase(over.filter((item) => isOver(item, (retentionDays ?? 0) + clockDays, now())));
          const byId = new Map([...found, ...over].map((item) => [item.itemId, item]));
          const newest = [...byId.values()].filter(({ itemId }) => !items.has(itemId));
          for (const item of newest) items.set(item.itemId, item);
          if (page === pages - 1) onFirst?.(newest.slice(0, firstItems));
        }
        return items;
      }

      /** Writes the copy again, in as few pages as possible. */
      const pack = withRecord(async (records, record) => {
        const items = await readItems(records, record.pages);
        for (const [itemId, item] of erased) {
          const kept = items.get(itemId);
          if (kept !== undefined && kept.version <= item.version) items.set(itemId, item);
        }
        erased.clear();
        records.remove(keyOf(vaultId));
        const left = [...items.values()];
        const pages = Math.ceil(left.length / pageSize);
        for (let page = 0; page < pages; page += 1) {
          records.put(keyOf(vaultId, page), left.slice(page * pageSize, (page + 1) * pageSize));
        }
        records.put(keyOf(vaultId), { ...record, pages });
      });

      return {
        erase,

        async read(onFirst) {
          const reading = withRecord(async (records, { sequence, at, discarded, pages }) => {
            const items = [...(await readItems(records, pages, onFirst)).values()];
            if (pages > items.length / pageSize + mostMorePages) write(pack);
            return { sequence, at, discarded, items };
          });
          return read(reading);
        },

        add(items, after, sequence) {
          write(
            withRecord(async (records, record) => {
              const at = now();
              if (sequence === record.sequence) return records.put(keyOf(vaultId), { ...record, at });
              if (after > record.sequence || sequence < record.sequence) return;
              records.put(keyOf(vaultId, record.pages), items);
              records.put(keyOf(vaultId), { ...record, sequence, at, pages: record.pages + 1 });
            }),
          );
        },

        discard(discarded) {
          write(
            withRecord(async (records) => {
              records.remove(keyOf(vaultId));
              records.put(keyOf(vaultId), { sequence: 0, pages: 0, discarded });
            }),
          );
        },
      };
    },
  };
}
