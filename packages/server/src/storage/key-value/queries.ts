import type { Item, ItemRef } from "../../domain/item.js";
import type { MemberVault, Vault } from "../../domain/vault.js";
import type { KeyRange, KeyValue, KeyValueStore } from "../../ports/key-value-store.js";
import type { ChangePage } from "../../ports/queries.js";
import { type Storage, StorageError } from "../../ports/storage.js";
import { keys, ranges, timeOf } from "./keys.js";
import { type ChangedItem, parse, recordEntries, type StoredItem, type StoredMember } from "./rows.js";

type Queries = Pick<
  Storage,
  "readRecords" | "readBacklog" | "listChanges" | "listVaults" | "listShreddable" | "listRecords" | "purge"
>;

/** How often a listing or a purge begins again, because another call has changed what it has read. */
const triesLimit = 100;

/** Creates the methods of a storage that read outside of a transaction, and `purge`. */
export function createKeyValueQueries(store: KeyValueStore): Queries {
  const first = async (range: Omit<KeyRange, "limit">): Promise<KeyValue | undefined> =>
    (await store.list({ ...range, limit: 1 }))[0];

  /** Lists an index, and reads keys that follow from it. What it returns is from one view: that of the second step. */
  const listAndGet = async (range: KeyRange, keysOf: (listed: readonly KeyValue[]) => readonly string[]) => {
    for (let tries = 0; tries < triesLimit; tries += 1) {
      const listed = await store.list(range);
      const others = keysOf(listed);
      const wanted = [...new Set([...listed.map(({ key }) => key), ...others])];
      if (wanted.length === 0) return { listed, get: () => undefined };
      const values = await store.get(wanted);
      const found = new Map(wanted.map((key, index) => [key, values[index]]));
      if (listed.every(({ key, value }) => found.get(key) === value)) {
        return { listed, get: (key: string) => found.get(key) };
      }
    }
    throw new StorageError("contended");
  };

  return {
    async readRecords(wanted) {
      const all = wanted.map(({ tenantId, collection, key }) => keys.record(tenantId, collection, key));
      const once = [...new Set(all)];
      const values = once.length === 0 ? [] : await store.get(once);
      const found = new Map(once.map((key, index) => [key, values[index]]));
      return all.map((key) => {
        const value = found.get(key);
        return value === undefined ? undefined : parse(value);
      });
    },

    async readBacklog() {
      const [sealed] = await store.get([keys.sealHead]);
      const position = sealed === undefined ? 0 : parse<{ readonly position: number }>(sealed).position;
      const [unsealed, tombstone, expiring] = await Promise.all([
        first(ranges.audit(position, Number.POSITIVE_INFINITY)),
        first(ranges.tombstones(Number.POSITIVE_INFINITY)),
        first(ranges.expiring(Number.POSITIVE_INFINITY)),
      ]);
      return {
        unsealedSince: unsealed && parse<{ readonly at: number }>(unsealed.value).at,
        shreddableFrom: tombstone && timeOf(tombstone.key),
        expiredFrom: expiring && timeOf(expiring.key),
      };
    },

    async listChanges({ tenantId, vaultId, principalId, afterSequence, limit, maxBytes = Number.POSITIVE_INFINITY }) {
      const none: ChangePage = { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
      const vaultKey = keys.vault(tenantId, vaultId);
      const headKey = keys.head(tenantId, vaultId);
      const access = principalId === undefined ? [vaultKey] : [vaultKey, keys.member(tenantId, vaultId, principalId)];
      // What others would read depends on the vault.
      if ((await store.get(access)).includes(undefined)) return none;

      const range = { ...ranges.changes(tenantId, vaultId, afterSequence), limit: limit + 1 };
      /** Returns the items of the page, as far as the index says. */
      const pageOf = (listed: readonly KeyValue[]) => {
        const page: string[] = [];
        let size = 0;
        for (const { key, value } of listed.slice(0, limit)) {
          if (key === headKey) break;
          const changed = parse<ChangedItem>(value);
          size += changed.size;
          if (size > maxBytes && page.length > 0) break;
          page.push(changed.itemId);
        }
        return page;
      };
      const { listed, get } = await listAndGet(range, (all) => [
        ...access,
        headKey,
        ...pageOf(all).flatMap((id) => [keys.item(tenantId, vaultId, id), keys.content(tenantId, vaultId, id)]),
      ]);
      const [vault] = access.map(get);
      if (vault === undefined || access.map(get).includes(undefined)) return none;

      const items: Item[] = [];
      let bytes = 0;
      for (const itemId of pageOf(listed)) {
        const stored = get(keys.item(tenantId, vaultId, itemId));
        const content = get(keys.content(tenantId, vaultId, itemId));
        if (stored === undefined || content === undefined) throw new StorageError("damaged");
        const { status, sequence } = parse<StoredItem>(stored);
        const item: Item = { ...parse<Item>(content), ...status, sequence };
        bytes += new TextEncoder().encode(JSON.stringify(item)).length;
        if (bytes > maxBytes && items.length > 0) break;
        items.push(item);
      }
      const head = Number(get(headKey) ?? 0);
      const hasMore = items.length < listed.filter(({ key }) => key !== headKey).length;
      return { vault: parse<Vault>(vault), head, reached: afterSequence <= head, items, hasMore };
    },

    async listVaults({ tenantId, principalId, afterVaultId = "", limit }) {
      const range = { ...ranges.vaultsOf(tenantId, principalId, afterVaultId), limit };
      const keysOf = (vaultId: string) => [keys.vault(tenantId, vaultId), keys.head(tenantId, vaultId)] as const;
      const { listed, get } = await listAndGet(range, (all) =>
        all.flatMap(({ value }) => keysOf(parse<StoredMember>(value).vaultId)),
      );
      return listed.flatMap(({ value }): readonly MemberVault[] => {
        const { vaultId, role } = parse<StoredMember>(value);
        const [vault, head = "0"] = keysOf(vaultId).map(get);
        if (vault === undefined) return [];
        return [{ vaultId, role, retentionDays: parse<Vault>(vault).retentionDays, head: Number(head) }];
      });
    },

    async listShreddable(now, limit) {
      const due = await store.list({ ...ranges.tombstones(now), limit });
      return due.map(({ value }) => parse<ItemRef>(value));
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      const range = { ...ranges.owned(tenantId, collection, principalId, afterKey), limit };
      const { listed, get } = await listAndGet(range, (all) => all.map(({ value }) => value));
      return listed.map(({ value }) => parse(get(value) ?? ""));
    },

    async purge(expiredBefore, limit) {
      const expired = { ...ranges.expiring(expiredBefore), limit };
      for (let tries = 0; tries < triesLimit; tries += 1) {
        const { listed, get } = await listAndGet(expired, (all) => all.map(({ value }) => value));
        if (listed.length === 0) return 0;
        const expected = new Map(listed.map(({ value }) => [value, get(value)]));
        const removed = [...expected.values()].flatMap((value) => recordEntries(parse(value ?? "")));
        const changes = new Map(removed.map(([key]) => [key, undefined]));
        if (await store.commit({ expected, changes })) return listed.length;
      }
      throw new StorageError("contended");
    },
  };
}
