import type { DatabaseSync } from "node:sqlite";
import type { AuditRecord } from "../../../domain/actor.js";

/** The audit trail: append-only. */
export function createAuditTrail(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO audit (at, tenant_id, principal_id, oauth_client_id, token_id, operation, request_id,
      subject_tenant_id, subject, event, version_before, version_after)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  return {
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
      );
    },
  };
}
