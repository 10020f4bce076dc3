import { contentJson, type ItemStatus, JsonContent, noEarlier } from "../../domain/model/item.js";
import type { RecordKey, StoredRecord } from "../../domain/model/record.js";
import type { Vault } from "../../domain/model/vault.js";
import type { Ref } from "../../ports/storage.js";
import { descriptionOf } from "../engine/apply-write.js";
import { type ItemRow, type MissingRow, NotLoadedError, type WorkingSet } from "../engine/working-set.js";
import { keys } from "./keys.js";
import { parse, type Values } from "./values.js";

/** What is stored of an item, besides its content. */
export interface StoredItem {
  readonly status: ItemStatus;
  readonly sequence: number;
}

/** A changed item in the index of its vault. `size` is at most the size of its content. */
export interface ChangedItem {
  readonly itemId: string;
  readonly size: number;
}

export interface StoredMember {
  readonly vaultId: string;
  readonly role: string;
}

type ItemToRead = Omit<Extract<Ref, { readonly kind: "item" }>, "kind" | "record" | "to">;

/**
 * Returns the rows of a ref's snapshot.
 *
 * @param isMember returns whether a principal is known as a member. What is read for others does not depend on the item.
 */
export function rowsOf(ref: Ref, isMember: (row: MissingRow) => boolean): readonly MissingRow[] {
  const vaultOf = (tenantId: string, vaultId: string): MissingRow => ({ table: "vaults", key: [tenantId, vaultId] });
  const recordOf = ({ tenantId, collection, key }: RecordKey): MissingRow => {
    return { table: "records", key: [tenantId, collection, key] };
  };
  const itemOf = ({ tenantId, vaultId, itemId, principalId, earlier = false }: ItemToRead): readonly MissingRow[] => {
    const key = [tenantId, vaultId, itemId];
    const item = (earlier ? (["items", "earlier"] as const) : (["items"] as const)).map((table) => ({ table, key }));
    if (principalId === undefined) return item;
    const member: MissingRow = { table: "members", key: [tenantId, vaultId, principalId] };
    return [member, ...(isMember(member) ? item : [])];
  };
  switch (ref.kind) {
    case "vault":
      return [vaultOf(ref.tenantId, ref.vaultId)];
    case "item": {
      const { record, to } = ref;
      const items = to === undefined ? [ref] : [ref, to];
      return [
        ...(record === undefined ? [] : [recordOf(record)]),
        ...items.flatMap((each) => [vaultOf(each.tenantId, each.vaultId), ...itemOf(each)]),
      ];
    }
    case "records": {
      const records = ref.keys.map(recordOf);
      return ref.vault === undefined ? records : [...records, vaultOf(ref.vault.tenantId, ref.vault.vaultId)];
    }
  }
}

/** Returns the keys that are read for a row. The first one has a value if the row exists. */
export function keysOf({ table, key: [a = "", b = "", c = ""] }: MissingRow): readonly [string, ...string[]] {
  switch (table) {
    case "vaults":
      return [keys.vault(a, b), keys.head(a, b)];
    case "members":
      return [keys.member(a, b, c)];
    case "items":
      return [keys.item(a, b, c), keys.content(a, b, c)];
    case "earlier":
      return [keys.earlier(a, b, c)];
    case "records":
      return [keys.record(a, b, c)];
  }
}

export function loadRow(set: WorkingSet, row: MissingRow, values: Values): void {
  const [value, second] = keysOf(row).map((key) => values.get(key));
  const [a = "", b = "", c = ""] = row.key;
  switch (row.table) {
    case "vaults":
      set.vaults.load(
        [a, b],
        value === undefined ? undefined : { vault: parse(value), head: Number(second ?? 0), floor: 0 },
      );
      return;
    case "members":
      set.members.load([a, b, c], value === undefined ? undefined : parse<StoredMember>(value).role);
      return;
    case "items":
      set.items.load([a, b, c], value === undefined ? undefined : toItemRow(value, second, row.key, values));
      return;
    // The row of the item reads its value on demand: see `toItemRow`.
    case "earlier":
      return;
    case "records":
      set.records.load([a, b, c], value === undefined ? undefined : parse(value));
      return;
  }
}

/** No checksum says that the content is what was written: it is parsed. */
function toItemRow(value: string, text: string | undefined, key: readonly string[], values: Values): ItemRow {
  const content = () => new JsonContent(contentJson(parse(text)));
  const row: MissingRow = { table: "earlier", key };
  const [earlierKey] = keysOf(row);
  const earlier = () => {
    if (!values.has(earlierKey)) throw new NotLoadedError([row]);
    return JSON.stringify(parse(values.get(earlierKey) ?? noEarlier));
  };
  return { ...parse<StoredItem>(value), description: () => descriptionOf(content()), content, earlier };
}

/**
 * Returns what a commit changes of a row that the decisions have written: the row as it was loaded is replaced with the row as the last
 * decision left it.
 *
 * @param sequence the sequence of the newest change of an item. Default: it did not get one.
 */
export function changesOf(set: WorkingSet, { table, key }: MissingRow, sequence?: number): Values {
  const [a = "", b = "", c = ""] = key;
  switch (table) {
    case "vaults":
      return difference(set.vaults.loaded(a, b)?.row?.vault, set.vaults.peek(a, b)?.vault, vaultEntries);
    case "members": {
      // It is written without being read.
      const role = set.members.peek(a, b, c);
      const member: StoredMember | undefined = role === undefined ? undefined : { vaultId: b, role };
      return new Map([[keys.member(a, b, c), member && JSON.stringify(member)]]);
    }
    case "items": {
      const before = set.items.loaded(a, b, c)?.row;
      const after = set.items.peek(a, b, c);
      const changes = difference(
        before,
        after && { ...after, sequence: sequence ?? before?.sequence ?? 0 },
        itemEntries,
      );
      if (after === undefined || after.earlier === before?.earlier) return changes;
      const earlier = after.earlier();
      return new Map([...changes, [keys.earlier(a, b, c), earlier === noEarlier ? undefined : earlier]]);
    }
    case "earlier":
      return new Map();
    case "records":
      return difference(set.records.loaded(a, b, c)?.row, set.records.peek(a, b, c), recordEntries);
  }
}

type Entry = readonly [key: string, value: string];

function vaultEntries(vault: Vault): readonly Entry[] {
  return [[keys.vault(vault.tenantId, vault.vaultId), JSON.stringify(vault)]];
}

function itemEntries({ status, sequence, content }: ItemRow): readonly Entry[] {
  const { tenantId, vaultId, itemId, shredAt } = status;
  const item: StoredItem = { status, sequence };
  const text = contentJson(content());
  const changed: ChangedItem = { itemId, size: text.length };
  const entries: Entry[] = [
    [keys.item(tenantId, vaultId, itemId), JSON.stringify(item)],
    [keys.content(tenantId, vaultId, itemId), text],
    [keys.change(tenantId, vaultId, sequence), JSON.stringify(changed)],
  ];
  if (shredAt === undefined) return entries;
  return [
    ...entries,
    [keys.tombstone(shredAt, tenantId, vaultId, itemId), JSON.stringify({ tenantId, vaultId, itemId })],
  ];
}

/** Returns the entries of a record. Those of its indexes have its key as their value. */
export function recordEntries(record: StoredRecord): readonly Entry[] {
  const { tenantId, collection, key, principalId, expiresAt } = record;
  const own = keys.record(tenantId, collection, key);
  const entries: Entry[] = [[own, JSON.stringify(record)]];
  if (principalId !== "") entries.push([keys.owned(tenantId, collection, principalId, key), own]);
  if (expiresAt !== undefined) entries.push([keys.expiry(expiresAt, tenantId, collection, key), own]);
  return entries;
}

/** Returns the changes that replace a row with another one. What is the same in both is not written. */
function difference<Row>(
  before: Row | undefined,
  after: Row | undefined,
  entriesOf: (row: Row) => readonly Entry[],
): Values {
  const old = new Map(before === undefined ? [] : entriesOf(before));
  const changes = new Map<string, string | undefined>([...old.keys()].map((key) => [key, undefined]));
  for (const [key, value] of after === undefined ? [] : entriesOf(after)) {
    if (old.get(key) === value) changes.delete(key);
    else changes.set(key, value);
  }
  return changes;
}
