import type { DatabaseSync } from "node:sqlite";
import type { AuditRow } from "../../../domain/audit-seal.js";
import { integer } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";

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
