import { type Principal, principals } from "../domain/access.js";
import { grants, revocations } from "../domain/grant.js";
import {
  getRecord,
  type PutRecordOutcome,
  type PutRecordsOutcome,
  putRecord,
  putRecords,
  type RecordEvent,
  type RecordPut,
} from "../domain/put-record.js";
import type { NewRecord, RecordKey, StoredRecord } from "../domain/record.js";
import { defaultRetentionDays } from "../domain/vault.js";
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

/** A record to be written, and the revision that the caller last saw. */
export interface PutRecordInput extends RecordPut {
  /** The ids of grants that are revoked in the same commit, such as those of a session that ends. Default: none. */
  readonly alsoRevoked?: readonly string[] | undefined;
  /** An event that the audit trail records in the same commit. Default: none. */
  readonly event?: RecordEvent | undefined;
}

/** Records to be written in one commit, and what is created with them. */
export interface PutRecordsInput {
  /** At least one. Each has another key. */
  readonly puts: readonly RecordPut[];
  /** A principal that is written in the same commit, such as the one that signs up. Default: none. */
  readonly alsoPrincipal?: Principal | undefined;
  /** A vault that is created in the same commit, and its only member. Default: none. */
  readonly alsoVault?: { readonly tenantId: string; readonly vaultId: string; readonly ownerId: string } | undefined;
  /** An event that the audit trail records in the same commit. Default: none. */
  readonly event?: RecordEvent | undefined;
}

/** The parts that the operations on records use. */
export interface RecordDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/**
 * Creates the operations on records, for a program that has a storage and no platform, such as one that repairs records after a
 * restore. In a platform, they are in `platform.own`.
 *
 * @example
 * ```ts
 * import { createRecordOperations } from "@platform-rpc/server";
 *
 * const records = createRecordOperations({ storage, clock });
 * console.log(await records.getRecord({ tenantId: "acme", collection: "session", key: "unknown" }, call));
 * // undefined
 * ```
 */
export function createRecordOperations(deps: RecordDeps) {
  return {
    /** Reads a record: a small document of the application. */
    getRecord: createGetRecord(deps),
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
  return async ({ event, alsoRevoked, ...put }: PutRecordInput, { actor, wanted }: Call): Promise<PutRecordOutcome> => {
    checkRecord(put.record);
    const rule = putRecord(put, actor, clock.now(), event, alsoRevoked);
    const { tenantId } = put.record;
    const revoked = (alsoRevoked ?? []).flatMap((id) => [grants.key(tenantId, id), revocations.key(tenantId, id)]);
    return (await storage.transact(refOf(put.record, ...revoked), rule, { wanted })).outcome;
  };
}

/**
 * Writes several records, with a principal and a vault, in one commit: all of them or nothing. Nothing is written if a current record
 * does not have the expected revision, or if the vault exists.
 *
 * @throws RangeError when a key is empty, or a value is larger than 64 KiB.
 */
function createPutRecords({ storage, clock }: RecordDeps) {
  return async (input: PutRecordsInput, { actor, wanted }: Call): Promise<PutRecordsOutcome> => {
    const { puts, alsoPrincipal, alsoVault, event } = input;
    for (const { record } of puts) checkRecord(record);
    const owner = alsoPrincipal && principals.key(alsoPrincipal.tenantId, alsoPrincipal.principalId);
    const keys = [...puts.map(({ record }) => record), ...(owner === undefined ? [] : [owner])];
    const vault = alsoVault && { ...alsoVault, retentionDays: defaultRetentionDays };
    const rule = putRecords(puts, { principal: alsoPrincipal, vault }, actor, clock.now(), event);
    const place = alsoVault && { tenantId: alsoVault.tenantId, vaultId: alsoVault.vaultId };
    return (await storage.transact({ ...refOf(...keys), vault: place }, rule, { wanted })).outcome;
  };
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
