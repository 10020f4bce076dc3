import type { OauthClient, Principal } from "./access.js";
import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import { principalWrites } from "./manage-access.js";
import { defineRule } from "./rule.js";

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

/** What a write of a record means, for the audit trail. */
export interface RecordEvent {
  /** What changed, such as `account:a-1`. */
  readonly subject: string;
  /** What happened to the subject, such as `passkey added`. */
  readonly event: string;
}

/** The record as written, or the current one, which does not have the expected revision. */
export type PutRecordOutcome =
  | { readonly ok: true; readonly record: StoredRecord }
  | { readonly ok: false; readonly record: StoredRecord | undefined };

/** Returns the record of a snapshot; undefined if there is none, or if it has expired. */
export function currentRecord({ record }: Pick<RecordSnapshot, "record">, now: number): StoredRecord | undefined {
  return record?.expiresAt !== undefined && record.expiresAt <= now ? undefined : record;
}

export const getRecord = defineRule("getRecord", decideGetRecord);

/** Reads a record that has not expired; with `activeOwner`, only if its owner is an active principal. */
export function decideGetRecord(
  snapshot: RecordSnapshot,
  now: number,
  activeOwner = false,
): Decision<StoredRecord | undefined> {
  return unchanged(activeOwner && !snapshot.principalActive ? undefined : currentRecord(snapshot, now));
}

export const putRecord = defineRule("putRecord", decidePutRecord);

/**
 * Creates or replaces a record if the current one has the expected revision. 0: there must be none, or an expired one.
 *
 * The audit trail does not contain records, only the event that is given. A principal that is created with the record is audited,
 * as by SetPrincipal. Grants that are revoked with it are not: the event says what ends.
 */
export function decidePutRecord(
  snapshot: RecordSnapshot,
  record: NewRecord,
  expectedRevision: number,
  alsoPrincipal: Principal | undefined,
  actor: Actor,
  now: number,
  event?: RecordEvent | undefined,
  alsoRevoked: readonly string[] = [],
): Decision<PutRecordOutcome> {
  const current = currentRecord(snapshot, now);
  if ((current?.revision ?? 0) !== expectedRevision) return unchanged({ ok: false, record: current });
  // Continues after an expired record that is still stored.
  const written: StoredRecord = { ...record, revision: (snapshot.record?.revision ?? 0) + 1 };
  const writes: readonly Write[] = [
    { kind: "record", record: written },
    ...(alsoPrincipal === undefined ? [] : principalWrites(alsoPrincipal, actor, now)),
    ...alsoRevoked.map((grantId): Write => ({ kind: "revocation", subjectId: grantId, at: now })),
    ...(event === undefined ? [] : [audit(actor, now, { subjectTenantId: record.tenantId, ...event })]),
  ];
  return { outcome: { ok: true, record: written }, writes };
}
