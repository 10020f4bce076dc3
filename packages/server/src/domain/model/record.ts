/** Identifies a record. Every key begins with the tenant: everything of a tenant is one range. */
export interface RecordKey {
  readonly tenantId: string;
  /** The kind of the record, such as `session`. */
  readonly collection: string;
  /** Unique in its collection of the tenant; not empty. */
  readonly key: string;
}

/**
 * A small value of this package or of an application, such as a sign-in session.
 *
 * It never contains a secret in plain form: the key is an id or a hash.
 */
export interface StoredRecord extends RecordKey {
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

/** A record that another one refers to, by its collection and key: it belongs to the same tenant. */
export type Link = readonly [collection: string, key: string];

/** A record to be written, and the revision that the caller last saw. */
export interface RecordPut {
  readonly record: NewRecord;
  /** The revision of the record that is replaced. Default: 0. There must be none, or an expired one. */
  readonly expectedRevision?: number;
  /** The records that rules read with it, besides its owner. Default: none. */
  readonly links?: readonly Link[] | undefined;
}

/** A view of all records. */
export interface Records {
  /** Returns a record as stored, also if it has expired. May be called only while the rule decides. */
  readonly find: (key: RecordKey) => StoredRecord | undefined;
}

/** Returns a view of records that were read before. Every other record counts as absent. */
export function recordsOf(read: readonly (StoredRecord | undefined)[]): Records {
  return {
    find: ({ tenantId, collection, key }) =>
      read.find((each) => each?.key === key && each.collection === collection && each.tenantId === tenantId),
  };
}

/** Returns a record; undefined if there is none, or if it has expired. */
export function currentRecord(record: StoredRecord | undefined, now: number): StoredRecord | undefined {
  return record?.expiresAt !== undefined && record.expiresAt <= now ? undefined : record;
}
