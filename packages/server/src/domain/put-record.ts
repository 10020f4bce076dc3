import { principalWrites } from "./manage-access.js";
import { decideCreateVault, decideSetVaultMember } from "./manage-vault.js";
import { isActive, type Principal, subjectLinks } from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged, type Write } from "./model/decision.js";
import { grants, revokeGrant } from "./model/grant.js";
import { currentRecord, type RecordKey, type RecordPut, type Records, type StoredRecord } from "./model/record.js";
import type { RecordsSnapshot, Vault } from "./model/vault.js";
import { defineRule } from "./rule.js";

export const getRecord = defineRule(decideGetRecord);

/** Reads a record that has not expired; with `activeOwner`, only if its owner is an active principal. */
export function decideGetRecord(
  records: Records,
  key: RecordKey,
  now: number,
  activeOwner = false,
): Decision<StoredRecord | undefined> {
  const record = currentRecord(records.find(key), now);
  const hidden = activeOwner && record !== undefined && !isActive(records, record.tenantId, record.principalId);
  return unchanged(hidden ? undefined : record);
}

/** What a write of a record means, for the audit trail. */
export interface RecordEvent {
  /** What changed, such as `account:a-1`. */
  readonly subject: string;
  /** What happened to the subject, such as `passkey added`. */
  readonly event: string;
}

/** What happens in the same step as a write of records. */
export interface PutWith {
  /** The ids of grants that are revoked, such as those of a session that ends. Default: none. */
  readonly alsoRevoked?: readonly string[] | undefined;
  /** Events that the audit trail records. Default: none. */
  readonly events?: readonly RecordEvent[] | undefined;
}

/** The record as written, or the current one, which does not have the expected revision. */
export type PutRecordOutcome =
  | { readonly ok: true; readonly record: StoredRecord }
  | { readonly ok: false; readonly record: StoredRecord | undefined };

export const putRecord = defineRule(decidePutRecord);

/**
 * Creates or replaces a record if the current one has the expected revision.
 *
 * The audit trail does not contain records, only the events that are given. Grants that are revoked with the record are not audited:
 * an event says what ends.
 */
export function decidePutRecord(
  records: Records,
  { record, expectedRevision = 0, links = [] }: RecordPut,
  actor: Actor,
  now: number,
  { events = [], alsoRevoked = [] }: PutWith = {},
): Decision<PutRecordOutcome> {
  const stored = records.find(record);
  const current = currentRecord(stored, now);
  if ((current?.revision ?? 0) !== expectedRevision) return unchanged({ ok: false, record: current });
  // Continues after an expired record that is still stored.
  const written: StoredRecord = { ...record, revision: (stored?.revision ?? 0) + 1 };
  return {
    outcome: { ok: true, record: written },
    writes: [
      { kind: "record", record: written, links: [...subjectLinks(written), ...links] },
      ...writesWith(records, { events, alsoRevoked }, record.tenantId, actor, now),
    ],
  };
}

/** Returns the writes of what happens with records. Without its grant, a token is not valid. */
function writesWith(
  records: Records,
  { events = [], alsoRevoked = [] }: PutWith,
  subjectTenantId: string,
  actor: Actor,
  now: number,
): readonly Write[] {
  const revoked = [...new Set(alsoRevoked)].flatMap((grantId) => {
    const grant = grants.find(records, subjectTenantId, grantId);
    return grant === undefined ? [] : revokeGrant(records, grant, now);
  });
  return [...revoked, ...events.map((event) => audit(actor, now, { subjectTenantId, ...event }))];
}

export interface CreatedWithRecords extends PutWith {
  readonly principal?: Principal | undefined;
  /** A new vault with one owner. */
  readonly vault?: (Pick<Vault, "tenantId" | "vaultId" | "retentionDays"> & { readonly ownerId: string }) | undefined;
}

/** Whether the records were written. If not, one of them does not have the expected revision, or the vault exists. */
export type PutRecordsOutcome = { readonly ok: boolean };

export const putRecords = defineRule(decidePutRecords);

/**
 * Writes all of the records, with a new principal and a new vault, or nothing. A principal, a vault and its owner are audited, as if each
 * had been written alone.
 */
export function decidePutRecords(
  records: RecordsSnapshot,
  puts: readonly RecordPut[],
  created: CreatedWithRecords,
  actor: Actor,
  now: number,
): Decision<PutRecordsOutcome> {
  const decisions = puts.map((put) => decidePutRecord(records, put, actor, now));
  const vaultExists = created.vault !== undefined && records.vault !== undefined;
  if (vaultExists || decisions.some(({ outcome }) => !outcome.ok)) return unchanged({ ok: false });
  const subjectTenantId = puts[0]?.record.tenantId ?? actor.tenantId;
  return {
    outcome: { ok: true },
    writes: [
      ...decisions.flatMap(({ writes }) => writes),
      ...(created.principal === undefined ? [] : principalWrites(records, created.principal, actor, now)),
      ...(created.vault === undefined ? [] : vaultWrites(created.vault, actor, now)),
      ...writesWith(records, created, subjectTenantId, actor, now),
    ],
  };
}

function vaultWrites({ ownerId, ...vault }: NonNullable<CreatedWithRecords["vault"]>, actor: Actor, now: number) {
  return [
    ...decideCreateVault({ vault: undefined }, vault, actor, now).writes,
    ...decideSetVaultMember({ vault: { ...vault, accessRevision: 0 } }, ownerId, "owner", actor, now).writes,
  ];
}
