import type { Collection } from "../../domain/model/collection.js";
import { type Delegation, delegations } from "../../domain/model/delegation.js";
import type { NewRecord } from "../../domain/model/record.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { tenantId } from "./fixture.js";
import { storeRecords } from "./rules.js";

/** Stores the records of writes, in the turn in which it is called. */
export async function storeValues(
  storage: Pick<Storage, "transact">,
  ...writes: readonly { readonly record: NewRecord }[]
): Promise<void> {
  const records = writes.map(({ record }) => record);
  await storage.transact(refOf(...records), storeRecords(records));
}

/** Stores a record of a collection, in the turn in which it is called. */
export function storeValue<Value>(
  storage: Pick<Storage, "transact">,
  collection: Collection<Value>,
  value: Value,
): Promise<void> {
  return storeValues(storage, collection.create(value, 0));
}

export async function readValue<Value>(
  storage: Pick<Storage, "readRecords">,
  collection: Collection<Value>,
  key: string,
  tenant = tenantId,
): Promise<Value | undefined> {
  return collection.read((await storage.readRecords([collection.key(tenant, key)]))[0]);
}

type GivenDelegation = Pick<Delegation, "tenantId" | "principalId" | "oauthClientId" | "delegationId" | "bounds"> &
  Partial<Delegation>;

/** Creates a delegation whose tokens are valid for a day, and returns it. Default: it was not used yet. */
export async function createDelegation(
  storage: Pick<Storage, "transact">,
  given: GivenDelegation,
  createdAt: number,
): Promise<Delegation> {
  const delegation: Delegation = {
    deletions: 0,
    lastDeletionAt: undefined,
    endedAt: undefined,
    createdAt,
    expiresAt: createdAt + 24 * 60 * 60 * 1000,
    ...given,
  };
  await storeValue(storage, delegations, delegation);
  return delegation;
}
