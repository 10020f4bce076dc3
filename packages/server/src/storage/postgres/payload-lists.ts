import type { ItemRef } from "../../domain/model/item.js";

/** One entry of a list of the batch. */
export type Entry = Readonly<Record<string, unknown>>;

/** The lists of the batch. An entry replaces an earlier one with the same key. */
export type Put = (list: string, key: string, entry: Entry) => void;

/** The lists of the batch that `platform_commit` receives. */
export interface PayloadLists {
  readonly put: Put;
  toJson(): string;
}

export function createPayloadLists(): PayloadLists {
  const lists = new Map<string, Map<string, Entry>>();
  return {
    put(list, key, entry) {
      const entries = lists.get(list);
      if (entries === undefined) lists.set(list, new Map([[key, entry]]));
      else entries.set(key, entry);
    },
    toJson: () => JSON.stringify(Object.fromEntries([...lists].map(([name, list]) => [name, sorted(list)]))),
  };
}

/** Returns the entries in the order of their keys, in which every process locks and writes rows. */
function sorted(list: ReadonlyMap<string, Entry>): readonly Entry[] {
  return [...list].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Returns the columns that identify an item. */
export function itemColumns({ tenantId, vaultId, itemId }: ItemRef): Entry {
  return { t: tenantId, v: vaultId, i: itemId };
}

/** Returns the key of an item in a list. */
export function itemKey({ tenantId, vaultId, itemId }: ItemRef): string {
  return `${tenantId}\n${vaultId}\n${itemId}`;
}
