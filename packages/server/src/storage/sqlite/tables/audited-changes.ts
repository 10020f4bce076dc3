import type { DatabaseSync } from "node:sqlite";
import type { AuditRow } from "../../../domain/model/audit-seal.js";
import { integer } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";
import { joinTombstone, statusVersion } from "./item-row.js";

/**
 * Creates a function that compares rows of the audit trail with the history: a row that describes a new version of an item has a change
 * with that version. Both are written in the same order. Therefore the rows are compared in theirs, and each search continues where the
 * one before has ended.
 *
 * The function throws DamagedRowError.
 */
export function createAuditedChanges(database: DatabaseSync): (row: AuditRow) => void {
  const select = database.prepare(`
    SELECT position FROM changes CROSS JOIN items ON items.id = changes.item CROSS JOIN vaults ON vaults.id = changes.vault
    WHERE position > ? AND changes.version = ? AND 'item:' || vault_id || '/' || item_id = ? AND tenant_id = ?
    ORDER BY position LIMIT 1`);
  let after = 0;
  return ({ subjectTenantId, subject, versionBefore, versionAfter }) => {
    if (!subject.startsWith("item:") || versionAfter <= versionBefore) return;
    const search = (start: number) => select.get(start, versionAfter, subject, subjectTenantId);
    const found = search(after) ?? search(0);
    if (found === undefined) throw new DamagedRowError("a row of audit describes a change that is not in the history");
    after = integer(found, "position");
  };
}

/**
 * Creates a function that compares a row of the audit trail with the item whose version it records: that is the item's version, or an
 * earlier one. Unlike `createAuditedChanges`, it takes one lookup.
 *
 * The function throws DamagedRowError.
 */
export function createAuditedItems(database: DatabaseSync): (row: AuditRow) => void {
  const select = database.prepare(`
    SELECT ${statusVersion} AS version FROM vaults CROSS JOIN items ON items.vault = vaults.id ${joinTombstone}
    WHERE tenant_id = ? AND vault_id = ? AND item_id = ?`);
  return ({ subjectTenantId, subject, versionBefore, versionAfter }) => {
    // No id contains a slash.
    const [, vaultId, itemId] = /^item:(.*)\/(.*)$/s.exec(subject) ?? [];
    if (vaultId === undefined || itemId === undefined || versionAfter <= versionBefore) return;
    const row = select.get(subjectTenantId, vaultId, itemId);
    if (row === undefined || integer(row, "version") < versionAfter)
      throw new DamagedRowError("a row of audit describes a newer version than that of its item");
  };
}
