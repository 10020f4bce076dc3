import type { Write } from "../../domain/model/decision.js";
import type { ItemRef } from "../../domain/model/item.js";
import type { ReadRow } from "../engine/decide-batch.js";
import type { WorkingSet } from "../engine/working-set.js";
import { recordColumns } from "./columns.js";

export type Entry = Readonly<Record<string, unknown>>;

/** The lists of the batch. An entry replaces an earlier one with the same key. */
export type Put = (list: string, key: string, entry: Entry) => void;

/** The lists of the batch that `platform_commit` receives. */
interface PayloadLists {
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

export function itemColumns({ tenantId, vaultId, itemId }: ItemRef): Entry {
  return { t: tenantId, v: vaultId, i: itemId };
}

export function itemKey({ tenantId, vaultId, itemId }: ItemRef): string {
  return `${tenantId}\n${vaultId}\n${itemId}`;
}

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

/**
 * Adds a write other than a change.
 *
 * @param number distinguishes it from the other writes of the batch
 */
export function putWrite(
  put: Put,
  set: WorkingSet,
  g: number,
  write: Exclude<Write, { kind: "change" }>,
  number: number,
): void {
  switch (write.kind) {
    case "shred":
      put("shreds", itemKey(write.item), { g, ...itemColumns(write.item) });
      return;
    case "vault":
      putVault(put, set, g, write.vault.tenantId, write.vault.vaultId);
      return;
    case "member": {
      const { tenantId: t, vaultId: v, principalId: p, role = null } = write;
      putVault(put, set, g, t, v);
      put("members", `${t}\n${v}\n${p}`, { g, t, v, p, role });
      return;
    }
    case "record": {
      const { tenantId: t, collection: c, key: k } = write.record;
      const list = set.records.loaded(t, c, k)?.row === undefined ? "newRecords" : "oldRecords";
      put(list, `${t}\n${c}\n${k}`, { g, t, c, k, o: { ...recordColumns(write.record), links: write.links ?? [] } });
      return;
    }
    case "audit": {
      const { record } = write;
      put("audit", String(number).padStart(6, "0"), {
        g,
        st: record.subjectTenantId,
        at: record.at,
        t: record.tenantId,
        p: record.principalId,
        c: record.oauthClientId,
        j: record.tokenId,
        o: record.operation,
        r: record.requestId,
        s: record.subject,
        e: record.event,
        vb: record.versionBefore,
        va: record.versionAfter,
      });
      return;
    }
  }
}

/** Adds a vault as the last decision left it. */
function putVault(put: Put, set: WorkingSet, g: number, t: string, v: string): void {
  const row = set.vaults.peek(t, v);
  if (row === undefined) return;
  const list = set.vaults.loaded(t, v)?.row === undefined ? "newVaults" : "oldVaults";
  put(list, `${t}\n${v}`, { g, t, v, days: row.vault.retentionDays, r: row.vault.accessRevision, floor: row.floor });
}
