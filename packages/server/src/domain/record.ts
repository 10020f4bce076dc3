import type { OauthClient } from "./access.js";
import type { VaultSnapshot } from "./vault.js";

/**
 * A small document of an application, such as a sign-in session.
 *
 * It never contains a secret in plain form: the key is an id or a hash.
 */
export interface StoredRecord {
  /** The kind of the document, such as `session`. */
  readonly collection: string;
  /** Unique in its collection; not empty. */
  readonly key: string;
  readonly tenantId: string;
  /** The principal that owns it; empty if it has no owner. */
  readonly principalId: string;
  /** The OAuth client that it belongs to; empty if it belongs to none. */
  readonly oauthClientId: string;
  /** JSON text, at most 64 KiB in UTF-8. */
  readonly value: string;
  /** 1, then incremented by every write. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /**
   * Milliseconds since the epoch; undefined: never. An expired record counts as absent, and is purged. After a backup is restored,
   * every record with this time is expired, because it may have been removed since the backup.
   */
  readonly expiresAt: number | undefined;
}

/** A record to be written. Its revision is assigned when it is written. */
export type NewRecord = Omit<StoredRecord, "revision">;

/** The data for a decision about a record. */
export interface RecordSnapshot {
  /** The record as stored, also if it has expired. */
  readonly record: StoredRecord | undefined;
  /** Whether the record's owner is an active principal of its tenant. */
  readonly principalActive: boolean;
  /** The OAuth client that the record belongs to. */
  readonly oauthClient: OauthClient | undefined;
}

/** Returns the record of a snapshot; undefined if there is none, or if it has expired. */
export function currentRecord({ record }: Pick<RecordSnapshot, "record">, now: number): StoredRecord | undefined {
  return record?.expiresAt !== undefined && record.expiresAt <= now ? undefined : record;
}

/** The data for a decision about several records, and the vault that is created with them. */
export interface RecordsSnapshot extends VaultSnapshot {
  /** The records as stored, in the order of the ref's keys. */
  readonly records: readonly (StoredRecord | undefined)[];
  /** Whether the owner of the first record is an active principal of its tenant. */
  readonly ownerActive: boolean;
  /** The OAuth client that the first record belongs to. */
  readonly oauthClient: OauthClient | undefined;
}
