import type { Ref, Snapshots } from "../../ports/storage.js";
import type { Tables } from "./tables/index.js";

/** Loads the snapshot of a ref. */
export function loadSnapshot<R extends Ref>(tables: Tables, ref: R): Snapshots[R["kind"]];
export function loadSnapshot({ items, records, vaults }: Tables, ref: Ref): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item":
      return items.snapshot(ref, ref.principalId);
    case "vault":
      return { vault: vaults.find(ref.tenantId, ref.vaultId)?.vault };
    case "records":
      return { find: records.find, vault: ref.vault && vaults.find(ref.vault.tenantId, ref.vault.vaultId)?.vault };
  }
}
