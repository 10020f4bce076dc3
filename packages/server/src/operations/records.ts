import type { Principal } from "../domain/access.js";
import {
  getRecord,
  type NewRecord,
  type PutRecordOutcome,
  putRecord,
  type RecordEvent,
  type StoredRecord,
} from "../domain/record.js";
import type { Clock } from "../ports/clock.js";
import type { RecordQuery } from "../ports/queries.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** The largest value of a record, in bytes of UTF-8. */
const largestValue = 65_536;

/** Identifies a record. */
export interface RecordRef {
  readonly collection: string;
  readonly key: string;
}

/** The record to read. */
export interface GetRecordInput extends RecordRef {
  /** Whether a record whose owner is not an active principal counts as absent. Default: false. */
  readonly activeOwner?: boolean;
}

/** A record to be written, and the revision that the caller last saw. */
export interface PutRecordInput {
  readonly record: NewRecord;
  /** The revision of the record that is replaced. 0: there must be none, or an expired one. */
  readonly expectedRevision: number;
  /** A principal that is written in the same commit, such as the one that signs up. */
  readonly alsoPrincipal?: Principal | undefined;
  /** The ids of grants that are revoked in the same commit, such as those of a session that ends. Default: none. */
  readonly alsoRevoked?: readonly string[] | undefined;
  /** An event that the audit trail records in the same commit. Default: none. */
  readonly event?: RecordEvent | undefined;
}

/** Reads a record. Resolves with undefined if there is none, or if it has expired. */
export function createGetRecord({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: GetRecordInput, { wanted }: Call): Promise<StoredRecord | undefined> => {
    const { collection, key, activeOwner = false } = input;
    const rule = getRecord(clock.now(), activeOwner);
    return (await storage.transact({ kind: "record", collection, key }, rule, { wanted })).outcome;
  };
}

/**
 * Creates or replaces a record if the current one has the expected revision. To remove a record, write it with an `expiresAt` in the
 * past.
 *
 * @throws RangeError when the key is empty, or the value is larger than 64 KiB.
 */
export function createPutRecord({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async (input: PutRecordInput, { actor, wanted }: Call): Promise<PutRecordOutcome> => {
    const { record, expectedRevision, alsoPrincipal, alsoRevoked, event } = input;
    const { collection, key, value } = record;
    if (key === "")
      throw new RangeError(`A record of the collection "${collection}" has an empty key. Use an id or a hash.`);
    const size = new TextEncoder().encode(value).length;
    if (size > largestValue) {
      throw new RangeError(
        `The value of a record of the collection "${collection}" has ${size} bytes. The largest value has ${largestValue}: ` +
          "split it into several records.",
      );
    }
    const rule = putRecord(record, expectedRevision, alsoPrincipal, actor, clock.now(), event, alsoRevoked);
    return (await storage.transact({ kind: "record", collection, key }, rule, { wanted })).outcome;
  };
}

/** Lists the records of a principal in the order of their keys, also those that have expired and were not purged yet. */
export function createListRecords({ storage }: { storage: Storage }) {
  return (query: RecordQuery): Promise<readonly StoredRecord[]> => storage.listRecords(query);
}
