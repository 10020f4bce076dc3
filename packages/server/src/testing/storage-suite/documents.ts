import type { Collection } from "../../domain/collection.js";
import type { NewRecord } from "../../domain/record.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { tenantId } from "./fixture.js";
import { storeRecords } from "./rules.js";

/** Stores documents, in the turn in which it is called. */
export async function storeDocuments(
  storage: Pick<Storage, "transact">,
  ...documents: readonly { readonly record: NewRecord }[]
): Promise<void> {
  const records = documents.map(({ record }) => record);
  await storage.transact(refOf(...records), storeRecords(records));
}

/** Stores a document of a collection, in the turn in which it is called. */
export function storeDocument<Value>(
  storage: Pick<Storage, "transact">,
  collection: Collection<Value>,
  value: Value,
): Promise<void> {
  return storeDocuments(storage, collection.create(value, 0));
}

/** Reads a document of a collection. */
export async function readDocument<Value>(
  storage: Pick<Storage, "readRecords">,
  collection: Collection<Value>,
  key: string,
  tenant = tenantId,
): Promise<Value | undefined> {
  return collection.read((await storage.readRecords([collection.key(tenant, key)]))[0]);
}
