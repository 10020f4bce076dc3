import type { StoredRecord } from "../../domain/model/record.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import type { ItemRow, VaultRow, WorkingSet } from "./working-set.js";

type RefOf<Kind extends Ref["kind"]> = Extract<Ref, { readonly kind: Kind }>;

/** Returns the snapshot of a ref, from rows that were loaded and then changed by earlier decisions. @throws NotLoadedError */
export function snapshotOf<R extends Ref>(set: WorkingSet, ref: R): Snapshots[R["kind"]];
export function snapshotOf(set: WorkingSet, ref: Ref): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item":
      return itemSnapshot(set, ref);
    case "vault":
      return { vault: set.vaults.get(ref.tenantId, ref.vaultId)?.vault };
    case "records":
      return {
        find: ({ tenantId, collection, key }) => set.records.get(tenantId, collection, key),
        vault: ref.vault && set.vaults.get(ref.vault.tenantId, ref.vault.vaultId)?.vault,
      };
  }
}

function itemSnapshot(set: WorkingSet, ref: RefOf<"item">): Snapshots["item"] {
  const { tenantId, vaultId, itemId, principalId, record } = ref;
  const vault = set.vaults.get(tenantId, vaultId);
  if (vault === undefined) return itemSnapshotOf(vault, undefined, undefined);
  const role = principalId === undefined ? undefined : set.members.get(tenantId, vaultId, principalId);
  if (principalId !== undefined && role === undefined) return itemSnapshotOf(vault, role, undefined);
  const stored = record && set.records.get(record.tenantId, record.collection, record.key);
  return itemSnapshotOf(vault, role, set.items.get(tenantId, vaultId, itemId), stored);
}

export function itemSnapshotOf(
  row: VaultRow | undefined,
  role: string | undefined,
  item: ItemRow | undefined,
  record?: StoredRecord,
): Snapshots["item"] {
  return {
    vault: row?.vault,
    role,
    record,
    item: item && { ...item.status, sequence: item.sequence, content: item.content },
    floor: row?.floor ?? 0,
  };
}
