import type { StoredRecord } from "../../domain/model/record.js";

/** A row of `records`. */
export interface RecordColumns {
  readonly tenant_id: string;
  readonly collection: string;
  readonly key: string;
  readonly principal_id: string;
  readonly oauth_client_id: string;
  readonly value: string;
  readonly revision: number;
  readonly created_at: number;
  readonly expires_at: number | null;
}

export function toRecord(row: RecordColumns): StoredRecord {
  return {
    tenantId: row.tenant_id,
    collection: row.collection,
    key: row.key,
    principalId: row.principal_id,
    oauthClientId: row.oauth_client_id,
    value: row.value,
    revision: row.revision,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  };
}

export function recordColumns(record: StoredRecord): RecordColumns {
  return {
    tenant_id: record.tenantId,
    collection: record.collection,
    key: record.key,
    principal_id: record.principalId,
    oauth_client_id: record.oauthClientId,
    value: record.value,
    revision: record.revision,
    created_at: record.createdAt,
    expires_at: record.expiresAt ?? null,
  };
}
