import type { DatabaseSync } from "node:sqlite";
import type { AuditRecord } from "../../../domain/model/actor.js";
import type { AuditRow } from "../../../domain/model/audit-seal.js";
import type { AuditListing, AuditQuery } from "../../../ports/queries.js";
import { checksumOf } from "../../checksum.js";
import { integer, optional, type Row, requireChecksum, text } from "../database/columns.js";

/**
 * How many rows of all tenants are read for each row that a listing may have. There is no index on the tenant, because it would cost
 * each change another page.
 */
const readForEach = 10;

/** The audit trail: append-only. */
export function createAuditTrail(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO audit (at, tenant_id, principal_id, oauth_client_id, token_id, operation, request_id,
      subject_tenant_id, subject, event, version_before, version_after, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  const selectNewest = database.prepare("SELECT max(position) AS position FROM audit");
  const selectBefore = database.prepare(
    "SELECT * FROM audit WHERE position >= ? AND position < ? AND subject_tenant_id = ? ORDER BY position DESC LIMIT ?",
  );

  return {
    list({ tenantId, before, limit }: AuditQuery): AuditListing {
      const newest = optional(integer, selectNewest.get() ?? {}, "position") ?? 0;
      const end = Math.min(before ?? Number.POSITIVE_INFINITY, newest + 1);
      // Rows are never removed, so positions have no gaps.
      const start = Math.max(1, end - limit * readForEach);
      const rows = selectBefore.all(start, end, tenantId, limit).map(toAuditRow);
      const next = rows.length < limit ? start : (rows.at(-1)?.position ?? start);
      return { rows, next: next > 1 ? next : undefined };
    },

    append(record: AuditRecord): void {
      insert.run(
        record.at,
        record.tenantId,
        record.principalId,
        record.oauthClientId,
        record.tokenId,
        record.operation,
        record.requestId,
        record.subjectTenantId,
        record.subject,
        record.event,
        record.versionBefore,
        record.versionAfter,
        auditChecksum(record),
      );
    },
  };
}

/** Computes the checksum of a row of `audit`, without its position: positions have no gaps. */
function auditChecksum(record: AuditRecord): number {
  const { tenantId, principalId, oauthClientId, tokenId, operation, requestId, subjectTenantId, subject, event } =
    record;
  const texts = [tenantId, principalId, oauthClientId, tokenId, operation, requestId, subjectTenantId, subject, event];
  return checksumOf(texts, record.at, record.versionBefore, record.versionAfter);
}

/** Reads a row of the audit trail. @throws DamagedRowError */
export function toAuditRow(row: Row): AuditRow {
  const record = toUncheckedAuditRow(row);
  requireChecksum(row, auditChecksum(record), "audit");
  return record;
}

/** Reads a row of the audit trail as it is: for a reader that compares its digest. */
export function toUncheckedAuditRow(row: Row): AuditRow {
  return {
    position: integer(row, "position"),
    at: integer(row, "at"),
    tenantId: text(row, "tenant_id"),
    principalId: text(row, "principal_id"),
    oauthClientId: text(row, "oauth_client_id"),
    tokenId: text(row, "token_id"),
    operation: text(row, "operation"),
    requestId: text(row, "request_id"),
    subjectTenantId: text(row, "subject_tenant_id"),
    subject: text(row, "subject"),
    event: text(row, "event"),
    versionBefore: integer(row, "version_before"),
    versionAfter: integer(row, "version_after"),
  };
}
