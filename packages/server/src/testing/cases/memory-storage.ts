import type { AuditRow } from "../../domain/model/audit-seal.js";
import type { Decision, Write } from "../../domain/model/decision.js";
import {
  type Item,
  type ItemContent,
  type ItemRef,
  noEarlier,
  type StoredItem,
  shreddedContent,
} from "../../domain/model/item.js";
import type { RecordKey, Records, StoredRecord } from "../../domain/model/record.js";
import type { ItemSnapshot, Vault } from "../../domain/model/vault.js";
import type { Rule } from "../../domain/rule.js";
import type { Committed, Ref, Snapshots, Storage } from "../../ports/storage.js";

interface MemoryItem extends Item {
  readonly earlier: string;
}

interface VaultData {
  readonly vault: Vault;
  head: number;
  floor: number;
  readonly roles: Map<string, string>;
  readonly items: Map<string, MemoryItem>;
}

/** A storage in memory, for rules: it also applies them at once. */
export interface RuleStorage extends Records, Pick<Storage, "transact" | "readRecords" | "listChanges" | "listAudit"> {
  /** Applies a rule and commits its writes, as `transact` does, before it returns. */
  apply<R extends Ref, Outcome>(ref: R, rule: Rule<Snapshots[R["kind"]], Outcome>): Committed<Outcome>;
  /** Commits writes that no rule has decided. */
  commit(writes: readonly Write[]): void;
  /** Sets the floor of the versions of new items, as the restore of a backup does. */
  setFloor(ref: Omit<ItemRef, "itemId">, floor: number): void;
}

/**
 * Applies rules to data in memory: no queue, no threads, no files, no module of Node. The tests of the rules use it, and so does the
 * fake platform of the client.
 *
 * @param onContentLoad called when a rule loads the content of an item
 */
export function createMemoryStorage(onContentLoad: () => void = () => undefined): RuleStorage {
  const vaults = new Map<string, VaultData>();
  const records = new Map<string, StoredRecord>();
  const audit: AuditRow[] = [];

  type VaultRef = Omit<ItemRef, "itemId">;
  const findVault = ({ tenantId, vaultId }: VaultRef) => vaults.get(JSON.stringify([tenantId, vaultId]));
  const vaultOf = (ref: VaultRef): VaultData => {
    const data = findVault(ref);
    if (data === undefined) throw new Error(`The vault ${ref.vaultId} does not exist.`);
    return data;
  };
  const idOf = ({ tenantId, collection, key }: RecordKey) => JSON.stringify([tenantId, collection, key]);
  const find = (key: RecordKey) => records.get(idOf(key));

  const stored = ({ kind, titleHash, encryptedPayload, wrappedKeys, earlier, ...status }: MemoryItem): StoredItem => ({
    ...status,
    earlier: () => earlier,
    content(): ItemContent {
      onContentLoad();
      return { kind, titleHash, encryptedPayload, wrappedKeys };
    },
  });
  const loadItem = (ref: Extract<Ref, { kind: "item" | "vault" }>): ItemSnapshot => {
    const { vault, floor = 0, roles, items } = findVault(ref) ?? {};
    if (ref.kind === "vault") return { vault, role: undefined, item: undefined, floor };
    const role = ref.principalId === undefined ? undefined : roles?.get(ref.principalId);
    const visible = ref.principalId === undefined || role !== undefined;
    const item = visible ? items?.get(ref.itemId) : undefined;
    const record = visible && ref.record !== undefined ? find(ref.record) : undefined;
    const to = visible && ref.to !== undefined ? loadItem({ kind: "item", ...ref.to }) : undefined;
    return { vault, role, item: item && stored(item), record, floor, to };
  };

  const load = (ref: Ref): Snapshots[Ref["kind"]] => {
    switch (ref.kind) {
      case "item":
      case "vault":
        return loadItem(ref);
      case "records":
        return { find, vault: ref.vault && findVault(ref.vault)?.vault };
    }
  };

  /** Appends a change to the history of its vault. */
  const change = ({ item, content, earlier = noEarlier }: Extract<Write, { kind: "change" }>): void => {
    const data = vaultOf(item);
    const whole = content === undefined ? data.items.get(item.itemId) : { ...content, earlier };
    if (whole === undefined) throw new Error("An item was created without content.");
    data.head += 1;
    data.items.set(item.itemId, { ...whole, ...item, sequence: data.head });
  };

  const commitOne = (write: Write): unknown => {
    switch (write.kind) {
      case "vault": {
        const { vault } = write;
        const key = JSON.stringify([vault.tenantId, vault.vaultId]);
        return vaults.set(key, { vault, head: 0, floor: 0, roles: new Map(), items: new Map() });
      }
      case "member": {
        const { roles } = vaultOf(write);
        return write.role === undefined ? roles.delete(write.principalId) : roles.set(write.principalId, write.role);
      }
      case "change":
        return change(write);
      case "shred": {
        const { items } = vaultOf(write.item);
        const before = items.get(write.item.itemId);
        if (before === undefined) throw new Error("An item that does not exist was shredded.");
        const { sequence } = before;
        return items.set(before.itemId, { ...shreddedContent(before), ...write.item, sequence, earlier: noEarlier });
      }
      case "record": {
        const revision = (find(write.record)?.revision ?? 0) + 1;
        if (write.record.revision !== revision) throw new Error(`The revision after ${revision - 1} is ${revision}.`);
        return records.set(idOf(write.record), write.record);
      }
      case "audit":
        return audit.push({ ...write.record, position: audit.length + 1 });
    }
  };
  const commit = (writes: readonly Write[]) => {
    for (const write of writes) commitOne(write);
  };
  const apply: RuleStorage["apply"] = <R extends Ref, Outcome>(ref: R, rule: Rule<Snapshots[R["kind"]], Outcome>) => {
    const { outcome, writes }: Decision<Outcome> = Reflect.apply(rule, undefined, [load(ref)]);
    commit(writes);
    const changed = writes.findLast((write) => write.kind === "change");
    return { outcome, sequence: changed && vaultOf(changed.item).head };
  };

  return {
    find,
    apply,
    transact: async (ref, rule) => apply(ref, rule),
    commit,
    setFloor(ref, floor) {
      vaultOf(ref).floor = floor;
    },
    readRecords: async (keys) => keys.map(find),
    // Only its head.
    async listChanges(ref) {
      const { vault, head = 0 } = findVault(ref) ?? {};
      return { vault, head, reached: true, items: [], hasMore: false };
    },
    async listAudit({ tenantId, limit }) {
      const rows = audit.filter(({ subjectTenantId }) => subjectTenantId === tenantId);
      return { rows: rows.slice(-limit).reverse(), next: undefined };
    },
  };
}
