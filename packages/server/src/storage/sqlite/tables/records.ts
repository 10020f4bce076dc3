import type { DatabaseSync } from "node:sqlite";
import type { RecordKey, StoredRecord } from "../../../domain/model/record.js";
import type { RecordQuery } from "../../../ports/queries.js";
import { StorageError } from "../../../ports/storage.js";
import { checksumOf } from "../../checksum.js";
import { integer, optional, prepareGet, type Row, requireChecksum, text } from "../database/columns.js";

export function createRecords(database: DatabaseSync) {
  const select = prepareGet(database, "SELECT * FROM records WHERE tenant_id = ? AND collection = ? AND key = ?");
  // Without INDEXED BY, SQLite would read the records of all principals in the collection, in the order of the primary key.
  const selectByOwner = database.prepare(`
    SELECT * FROM records INDEXED BY records_by_principal
    WHERE tenant_id = ? AND collection = ? AND principal_id = ? AND principal_id <> '' AND key > ? ORDER BY key LIMIT ?`);
  // An expired record may have been purged since a decision has read it: its successor is then a new row.
  const put = database.prepare(`
    INSERT INTO records (tenant_id, collection, key, principal_id, oauth_client_id, value, revision, created_at, expires_at, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET principal_id = excluded.principal_id, oauth_client_id = excluded.oauth_client_id,
      value = excluded.value, revision = excluded.revision, created_at = excluded.created_at,
      expires_at = excluded.expires_at, checksum = excluded.checksum
    WHERE revision = ?`);
  // A replacement seldom changes what the indexes contain. SQLite writes them again if the statement names their columns.
  const replace = database.prepare(`
    UPDATE records SET oauth_client_id = ?, value = ?, revision = ?, created_at = ?, checksum = ?
    WHERE tenant_id = ? AND collection = ? AND key = ? AND revision = ? AND principal_id = ? AND expires_at IS ?`);
  const removeExpired = database.prepare(`
    DELETE FROM records WHERE (tenant_id, collection, key) IN (
      SELECT tenant_id, collection, key FROM records WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
    RETURNING *`);
  const countExpired = database.prepare(
    "SELECT count(*) AS expired FROM (SELECT 1 FROM records WHERE expires_at < ? LIMIT ?)",
  );

  return {
    find({ tenantId, collection, key }: RecordKey): StoredRecord | undefined {
      const row = select(tenantId, collection, key);
      return row && toRecord(row);
    },

    list({ collection, tenantId, principalId, afterKey = "", limit }: RecordQuery): StoredRecord[] {
      return selectByOwner.all(tenantId, collection, principalId, afterKey, limit).map(toRecord);
    },

    /** Counts records that expired before a time, in milliseconds since the epoch: at most `limit`. */
    countExpired: (before: number, limit: number): number => integer(countExpired.get(before, limit) ?? {}, "expired"),

    /** Removes records that expired before a time, in milliseconds since the epoch: at most `limit`, the longest expired first. */
    removeExpired(before: number, limit: number): void {
      // The error of a damaged one rolls back the transaction.
      for (const row of removeExpired.all(before, limit)) toRecord(row);
    },

    /** @param replaces the revision that is stored before; 0 without a stored record. */
    save(record: StoredRecord, replaces: number): void {
      const { tenantId, collection, key, principalId, oauthClientId, value, revision, createdAt } = record;
      const expiresAt = record.expiresAt ?? null;
      const checksum = recordChecksum(record);
      if (replaces > 0) {
        const replaced = [tenantId, collection, key, replaces, principalId, expiresAt] as const;
        if (replace.run(oauthClientId, value, revision, createdAt, checksum, ...replaced).changes === 1) return;
      }
      const owned = [tenantId, collection, key, principalId, oauthClientId, value] as const;
      if (put.run(...owned, revision, createdAt, expiresAt, checksum, replaces).changes === 1) return;
      throw new StorageError("unavailable", {
        cause: new Error("a record does not follow the revision in the database"),
      });
    },
  };
}

/** Reads a row of `records`. @throws DamagedRowError */
export function toRecord(row: Row): StoredRecord {
  const record: StoredRecord = {
    collection: text(row, "collection"),
    key: text(row, "key"),
    tenantId: text(row, "tenant_id"),
    principalId: text(row, "principal_id"),
    oauthClientId: text(row, "oauth_client_id"),
    value: text(row, "value"),
    revision: integer(row, "revision"),
    createdAt: integer(row, "created_at"),
    expiresAt: optional(integer, row, "expires_at"),
  };
  requireChecksum(row, recordChecksum(record), "records");
  return record;
}

function recordChecksum(record: StoredRecord): number {
  const { collection, key, tenantId, principalId, oauthClientId, value, revision, createdAt, expiresAt } = record;
  return checksumOf([collection, key, tenantId, principalId, oauthClientId, value], revision, createdAt, expiresAt);
}
