import { type Principal, principals } from "../domain/model/access.js";
import { grants, revocations } from "../domain/model/grant.js";
import type { NewRecord, RecordKey, RecordPut, StoredRecord } from "../domain/model/record.js";
import { defaultRetentionDays } from "../domain/model/vault.js";
import {
  getRecord,
  type PutRecordOutcome,
  type PutRecordsOutcome,
  type PutWith,
  putRecord,
  putRecords,
} from "../domain/put-record.js";
import type { Clock } from "../ports/clock.js";
import type { RecordQuery } from "../ports/queries.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** The largest value of a record, in bytes of UTF-8. */
const largestValue = 65_536;

/** The record to read. */
export interface GetRecordInput extends RecordKey {
  /** Whether a record whose owner is not an active principal counts as absent. Default: false. */
  readonly activeOwner?: boolean;
}

/** A record to be written, and what happens in the same commit. */
export interface PutRecordInput extends RecordPut, PutWith {}

/** Records to be written in one commit, and what is created and happens with them. */
export interface PutRecordsInput extends PutWith {
  /** Each has another key. May be empty if an event is recorded. */
  readonly puts: readonly RecordPut[];
  /** A principal that is written in the same commit, such as the one that signs up. Default: none. */
  readonly alsoPrincipal?: Principal | undefined;
  /** A vault that is created in the same commit, and its only member. Default: none. */
  readonly alsoVault?: { readonly tenantId: string; readonly vaultId: string; readonly ownerId: string } | undefined;
}

/** The parts that the operations on records use. */
export interface RecordDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** The operations on records. */
export type RecordOperations = ReturnType<typeof createRecordOperations>;

/**
 * Creates the operations on records, for a program that has a storage and no platform, such as one that repairs records after a
 * restore. In a platform, they are in `platform.own`.
 */
export function createRecordOperations(deps: RecordDeps) {
  return {
    /** Reads a record of the application. */
    getRecord: createGetRecord(deps),
    /** Reads records at once, in the order of their keys, as stored: also those that have expired and were not purged yet. */
    getRecords: (keys: readonly RecordKey[]) => deps.storage.readRecords(keys),
    /** Creates or replaces a record if the current one has the expected revision. */
    putRecord: createPutRecord(deps),
    /** Writes several records, with a new principal and a new vault, in one commit. */
    putRecords: createPutRecords(deps),
    /** Lists the records of a principal in the order of their keys. */
    listRecords: createListRecords(deps),
  };
}

/** Reads a record. Resolves with undefined if there is none, or if it has expired. */
function createGetRecord({ storage, clock }: RecordDeps) {
  return async (input: GetRecordInput, { wanted }: Call): Promise<StoredRecord | undefined> => {
    const { activeOwner = false, ...key } = input;
    const rule = getRecord(key, clock.now(), activeOwner);
    return (await storage.transact(refOf(key), rule, { wanted })).outcome;
  };
}

/**
 * Creates or replaces a record if the current one has the expected revision. To remove a record, write it with an `expiresAt` in the
 * past.
 *
 * @throws RangeError when the key is empty, or the value is larger than 64 KiB.
 */
function createPutRecord({ storage, clock }: RecordDeps) {
  return async (
    { events, alsoRevoked, ...put }: PutRecordInput,
    { actor, wanted }: Call,
  ): Promise<PutRecordOutcome> => {
    checkRecord(put.record);
    const rule = putRecord(put, actor, clock.now(), { events, alsoRevoked });
    const ref = refOf(put.record, ...keysOfRevoked(put.record.tenantId, alsoRevoked));
    return (await storage.transact(ref, rule, { wanted })).outcome;
  };
}

/**
 * Writes several records, with a principal, a vault, revocations and events, in one commit: all of them or nothing. Nothing is written if a current record
 * does not have the expected revision, or if the vault exists.
 *
 * @throws RangeError when a key is empty, or a value is larger than 64 KiB.
 */
function createPutRecords({ storage, clock }: RecordDeps) {
  return async (input: PutRecordsInput, { actor, wanted }: Call): Promise<PutRecordsOutcome> => {
    const { puts, alsoPrincipal, alsoVault, events, alsoRevoked } = input;
    for (const { record } of puts) checkRecord(record);
    const owner = alsoPrincipal && principals.key(alsoPrincipal.tenantId, alsoPrincipal.principalId);
    const tenantId = puts[0]?.record.tenantId ?? actor.tenantId;
    const revoked = keysOfRevoked(tenantId, alsoRevoked);
    const keys = [...puts.map(({ record }) => record), ...(owner === undefined ? [] : [owner]), ...revoked];
    const vault = alsoVault && { ...alsoVault, retentionDays: defaultRetentionDays };
    const rule = putRecords(puts, { principal: alsoPrincipal, vault, events, alsoRevoked }, actor, clock.now());
    const place = alsoVault && { tenantId: alsoVault.tenantId, vaultId: alsoVault.vaultId };
    return (await storage.transact({ ...refOf(...keys), vault: place }, rule, { wanted })).outcome;
  };
}

function keysOfRevoked(tenantId: string, grantIds: readonly string[] = []): RecordKey[] {
  return grantIds.flatMap((id) => [grants.key(tenantId, id), revocations.key(tenantId, id)]);
}

/** @throws RangeError */
function checkRecord({ collection, key, value }: NewRecord): void {
  if (key === "")
    throw new RangeError(`A record of the collection "${collection}" has an empty key. Use an id or a hash.`);
  const size = new TextEncoder().encode(value).length;
  if (size > largestValue) {
    throw new RangeError(
      `The value of a record of the collection "${collection}" has ${size} bytes. The largest value has ${largestValue}: ` +
        "split it into several records.",
    );
  }
}

/** Lists the records of a principal in the order of their keys, also those that have expired and were not purged yet. */
function createListRecords({ storage }: RecordDeps) {
  return (query: RecordQuery): Promise<readonly StoredRecord[]> => storage.listRecords(query);
}
