import { contentJson, type Item, type ItemRef, JsonContent, wholeItem } from "../../domain/model/item.js";
import type { MemberVault, Vault } from "../../domain/model/vault.js";
import type { KeyRange, KeyValue, KeyValueStore } from "../../ports/key-value-store.js";
import type { ChangePage } from "../../ports/queries.js";
import { type Storage, StorageError } from "../../ports/storage.js";
import { fitPage } from "../fit-page.js";
import { keys, ranges, timeOf } from "./keys.js";
import { type ChangedItem, recordEntries, type StoredItem, type StoredMember } from "./rows.js";
import { parse, readValues } from "./values.js";

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
  const listAndRead = async (range: KeyRange, keysOf: (listed: readonly KeyValue[]) => readonly string[]) => {
    for (let tries = 0; tries < triesLimit; tries += 1) {
      const listed = await store.list(range);
      const values = await readValues(store, [...listed.map(({ key }) => key), ...keysOf(listed)]);
      if (listed.every(({ key, value }) => values.get(key) === value)) return { listed, values };
    }
    throw new StorageError("contended");
  };

  return {
    async readRecords(wanted) {
      const all = wanted.map(({ tenantId, collection, key }) => keys.record(tenantId, collection, key));
      const values = await readValues(store, all);
      return all.map((key) => (values.get(key) === undefined ? undefined : parse(values.get(key))));
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
      // A stranger reads nothing that depends on the vault.
      if ((await store.get(access)).includes(undefined)) return none;

      const itemKeys = (itemId: string) =>
        [keys.item(tenantId, vaultId, itemId), keys.content(tenantId, vaultId, itemId)] as const;
      const changesIn = (listed: readonly KeyValue[]) => listed.filter(({ key }) => key !== headKey);
      /** Returns the items of the page, and perhaps some more: contents are not smaller than their sizes in the index. */
      const pageOf = (listed: readonly KeyValue[]) => {
        const changed = changesIn(listed).map(({ value }) => parse<ChangedItem>(value));
        let bytes = 0;
        const end = changed.findIndex(({ size }, index) => {
          bytes += size;
          return index > 0 && bytes > maxBytes;
        });
        return changed.slice(0, end < 0 ? limit : Math.min(end, limit)).map(({ itemId }) => itemId);
      };
      const range = { ...ranges.changes(tenantId, vaultId, afterSequence), limit: limit + 1 };
      const { listed, values } = await listAndRead(range, (all) => {
        return [...access, headKey, ...pageOf(all).flatMap(itemKeys)];
      });
      if (access.some((key) => values.get(key) === undefined)) return none;

      const items = pageOf(listed).map((itemId): Item => {
        const [stored, content] = itemKeys(itemId).map((key) => values.get(key));
        const { status, sequence } = parse<StoredItem>(stored);
        return wholeItem({ ...status, sequence, content: () => new JsonContent(contentJson(parse(content))) });
      });
      const page = fitPage(items, { limit, maxBytes });
      const head = Number(values.get(headKey) ?? 0);
      const hasMore = page.items.length < changesIn(listed).length;
      return { vault: parse(values.get(vaultKey)), head, reached: afterSequence <= head, items: page.items, hasMore };
    },

    async listVaults({ tenantId, principalId, afterVaultId = "", limit }) {
      const range = { ...ranges.vaultsOf(tenantId, principalId, afterVaultId), limit };
      const vaultKey = (vaultId: string) => keys.vault(tenantId, vaultId);
      const headKey = (vaultId: string) => keys.head(tenantId, vaultId);
      const { listed, values } = await listAndRead(range, (all) =>
        all.flatMap(({ value }) => [vaultKey, headKey].map((keyOf) => keyOf(parse<StoredMember>(value).vaultId))),
      );
      return listed.map(({ value }): MemberVault => {
        const { vaultId, role } = parse<StoredMember>(value);
        const { retentionDays } = parse<Vault>(values.get(vaultKey(vaultId)));
        return { vaultId, role, retentionDays, head: Number(values.get(headKey(vaultId)) ?? 0) };
      });
    },

    async listShreddable(now, limit) {
      const due = await store.list({ ...ranges.tombstones(now), limit });
      return due.map(({ value }) => parse<ItemRef>(value));
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      const range = { ...ranges.owned(tenantId, collection, principalId, afterKey), limit };
      const { listed, values } = await listAndRead(range, (all) => all.map(({ value }) => value));
      return listed.map(({ value }) => parse(values.get(value)));
    },

    async purge(expiredBefore, limit) {
      const expired = { ...ranges.expiring(expiredBefore), limit };
      for (let tries = 0; tries < triesLimit; tries += 1) {
        const { listed, values } = await listAndRead(expired, (all) => all.map(({ value }) => value));
        if (listed.length === 0) return 0;
        const expected = new Map(listed.map(({ value }) => [value, values.get(value)]));
        const removed = [...expected.values()].flatMap((value) => recordEntries(parse(value)));
        const changes = new Map(removed.map(([key]) => [key, undefined]));
        if (await store.commit({ expected, changes })) return listed.length;
      }
      throw new StorageError("contended");
    },
  };
}
