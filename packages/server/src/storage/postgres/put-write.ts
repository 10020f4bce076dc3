import type { Write } from "../../domain/decision.js";
import { authorizationColumns, clientColumns, grantColumns, recordColumns } from "./columns.js";
import { itemColumns, itemKey, type Put } from "./payload-lists.js";
import type { WorkingSet } from "./working-set.js";

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
    case "deviceAuthorization": {
      const { authorization } = write;
      const { deviceCodeHash: h, userCodeHash: u } = authorization;
      const known = set.authorizations.loaded(h)?.row !== undefined;
      put(known ? "oldAuthorizations" : "newAuthorizations", h, { g, o: authorizationColumns(authorization) });
      const code = set.userCodes.loaded(u);
      if (!known) put(code?.row === undefined ? "newUserCodes" : "oldUserCodes", u, { g, u, h });
      return;
    }
    case "grant":
      put("grants", write.grant.grantId, { g, o: grantColumns(write.grant) });
      return;
    case "revocation":
      put("revocations", write.subjectId, { g, id: write.subjectId, at: write.at });
      return;
    case "oauthClient": {
      const { tenantId: t, oauthClientId: c } = write.oauthClient;
      const { registeredAt, registeredBy } = set.clients.peek(t, c)?.oauthClient ?? write.oauthClient;
      const o = clientColumns({ ...write.oauthClient, registeredAt, registeredBy });
      put("newClients", `${t}\n${c}`, { g, o });
      return;
    }
    case "principal": {
      const { tenantId: t, principalId: p, active } = write.principal;
      put("newPrincipals", `${t}\n${p}`, { g, t, p, active });
      return;
    }
    case "record": {
      const { collection: c, key: k } = write.record;
      const list = set.records.loaded(c, k)?.row === undefined ? "newRecords" : "oldRecords";
      put(list, `${c}\n${k}`, { g, o: recordColumns(write.record) });
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
