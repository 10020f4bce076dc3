import type { Write } from "../../domain/model/decision.js";
import type { WorkingSet } from "../engine/working-set.js";
import { recordColumns } from "./columns.js";
import { itemColumns, itemKey, type Put } from "./payload-lists.js";

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
