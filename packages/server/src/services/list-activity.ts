import { mayView } from "../domain/model/activity.js";
import type { AuditRow } from "../domain/model/audit-seal.js";
import { refreshFamilies } from "../domain/model/refresh-family.js";
import { roleMayManage } from "../domain/model/vault.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** Selects a page of the audit trail. */
export interface ListActivityInput {
  /** Lists what happened before this position. Default: from the newest. */
  readonly before?: number | undefined;
  /** The largest number of rows that are read, 1 or more: those of the tenant that the caller may not see count as well. */
  readonly limit: number;
}

/** One page of what the caller may see of the audit trail. */
export interface ListActivityResult {
  /** The newest first. */
  readonly rows: readonly AuditRow[];
  /** `before` of the next page. Undefined: there are no older rows. A page without rows may have a next one. */
  readonly next: number | undefined;
  /** The time of the oldest row that was read, in milliseconds since the epoch. Undefined: none was read. */
  readonly readTo: number | undefined;
}

/** How many vaults and refresh families of a principal are considered. What happened in others is not listed. */
const most = 1000;

/** The operations that list the audit trail. */
export interface ActivityOperations {
  /**
   * Lists what the caller did, what was done to their account, and what anyone did in the vaults that they may manage: see `mayView`.
   * The work of a call is bounded. Roles are those at the time of the call.
   */
  listActivity(input: ListActivityInput, call: Call): Promise<ListActivityResult>;
}

export function createActivityOperations(deps: { readonly storage: Storage }): ActivityOperations {
  const { storage } = deps;
  return {
    async listActivity({ before, limit }, { actor }) {
      const { tenantId, principalId } = actor;
      if (principalId === "") return { rows: [], next: undefined, readTo: undefined };
      const owner = { tenantId, principalId, limit: most };
      const [vaults, families, { rows, next }] = await Promise.all([
        storage.listVaults(owner),
        storage.listRecords({ ...owner, collection: refreshFamilies.name }),
        storage.listAudit({ tenantId, before, limit }),
      ]);
      const viewer = {
        tenantId,
        principalId,
        managedVaults: new Set(vaults.filter(({ role }) => roleMayManage(role)).map(({ vaultId }) => vaultId)),
        refreshFamilies: new Set(families.map(({ key }) => key)),
      };
      return { rows: rows.filter((row) => mayView(row, viewer)), next, readTo: rows.at(-1)?.at };
    },
  };
}
