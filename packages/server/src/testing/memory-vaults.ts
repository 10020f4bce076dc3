import type { Write } from "../domain/decision.js";
import { type Item, type ItemContent, type ItemRef, type StoredItem, shreddedContent } from "../domain/item.js";
import type { ItemSnapshot, Vault } from "../domain/vault.js";

interface VaultData {
  readonly vault: Vault;
  head: number;
  floor: number;
  readonly roles: Map<string, string>;
  readonly items: Map<string, Item>;
}

/** Identifies a vault or an item for `load`. Without a principal, the item is loaded without a role. */
export interface MemoryRef {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId?: string;
  readonly principalId?: string;
}

/**
 * Vaults in memory: snapshots for the rules of items, and the effect of their writes. No queue, no transactions, no files.
 *
 * @param onContentLoad called when a rule loads a content
 */
export function createMemoryVaults(onContentLoad: () => void = () => undefined) {
  const vaults = new Map<string, VaultData>();
  const find = ({ tenantId, vaultId }: MemoryRef) => vaults.get(JSON.stringify([tenantId, vaultId]));
  const dataOf = (ref: MemoryRef): VaultData => {
    const data = find(ref);
    if (data === undefined) throw new Error(`The vault ${ref.vaultId} does not exist.`);
    return data;
  };

  const stored = ({ kind, titleHash, encryptedPayload, wrappedKeys, ...status }: Item): StoredItem => ({
    ...status,
    content(): ItemContent {
      onContentLoad();
      return { kind, titleHash, encryptedPayload, wrappedKeys };
    },
  });

  /** Appends a change to the history of its vault. Returns its sequence. */
  const change = ({ item, content }: Extract<Write, { kind: "change" }>): number => {
    const data = dataOf(item);
    const whole = content ?? data.items.get(item.itemId);
    if (whole === undefined) throw new Error("An item was created without content.");
    data.head += 1;
    data.items.set(item.itemId, { ...whole, ...item, sequence: data.head });
    return data.head;
  };

  return {
    load(ref: MemoryRef): ItemSnapshot {
      const { vault, floor = 0, roles, items } = find(ref) ?? {};
      const role = ref.principalId === undefined ? undefined : roles?.get(ref.principalId);
      const visible = ref.principalId === undefined || role !== undefined;
      const item = visible && ref.itemId !== undefined ? items?.get(ref.itemId) : undefined;
      return { vault, role, item: item && stored(item), floor };
    },
    /** Applies the writes of a decision. Returns the sequence of its change. Ignores records of the audit trail. */
    commit(writes: readonly Write[]): number | undefined {
      let sequence: number | undefined;
      for (const write of writes) {
        if (write.kind === "vault") {
          const { vault } = write;
          const key = JSON.stringify([vault.tenantId, vault.vaultId]);
          vaults.set(key, { vault, head: 0, floor: 0, roles: new Map(), items: new Map() });
        } else if (write.kind === "member") {
          const { roles } = dataOf(write);
          if (write.role === undefined) roles.delete(write.principalId);
          else roles.set(write.principalId, write.role);
        } else if (write.kind === "change") sequence = change(write);
        else if (write.kind === "shred") {
          const { items } = dataOf(write.item);
          const before = items.get(write.item.itemId);
          if (before === undefined) throw new Error("An item that does not exist was shredded.");
          items.set(before.itemId, { ...shreddedContent(before), ...write.item, sequence: before.sequence });
        } else if (write.kind !== "audit") throw new Error(`Vaults in memory do not store: ${write.kind}.`);
      }
      return sequence;
    },
    /** Returns the sequence of the newest change of a vault; 0 without one. */
    head: (ref: Omit<ItemRef, "itemId">): number => find(ref)?.head ?? 0,
    /** Sets the floor of the versions of new items, as the restore of a backup does. */
    setFloor(ref: Omit<ItemRef, "itemId">, floor: number): void {
      dataOf(ref).floor = floor;
    },
  };
}
