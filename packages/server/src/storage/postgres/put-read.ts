import type { ReadRow } from "../engine/decide-batch.js";
import type { WorkingSet } from "../engine/working-set.js";
import type { Put } from "./payload-lists.js";

/** Adds the version of a row that a call has read, to be compared with its version at the commit. */
export function putRead(
  put: Put,
  set: WorkingSet,
  vaultGroups: Map<string, number[]>,
  group: number,
  id: string,
  { table, key }: ReadRow,
): void {
  const [first = "", second = "", third = ""] = key;
  const once = `${id}\n${group}`;
  switch (table) {
    case "vaults": {
      const loaded = set.vaults.loaded(first, second);
      if (loaded === undefined) return;
      // One entry for all groups, so that each vault is locked and compared once.
      const groups = vaultGroups.get(id);
      if (groups !== undefined) {
        groups.push(group);
        return;
      }
      const g = [group];
      vaultGroups.set(id, g);
      put("vaults", id, { g, t: first, v: second, r: loaded.row?.vault.accessRevision ?? null });
      return;
    }
    case "items": {
      const loaded = set.items.loaded(first, second, third);
      if (loaded === undefined) return;
      const { version = null, state = null } = loaded.row?.status ?? {};
      put("items", once, { g: group, t: first, v: second, i: third, r: version, s: state });
      return;
    }
    case "records": {
      const loaded = set.records.loaded(first, second, third);
      if (loaded) put("records", once, { g: group, t: first, c: second, k: third, r: loaded.row?.revision ?? null });
      return;
    }
    // Members change only with their vault's revision.
    case "members":
      return;
  }
}
