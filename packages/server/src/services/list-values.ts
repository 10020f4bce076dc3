import type { Collection } from "../domain/model/collection.js";
import type { Storage } from "../ports/storage.js";

const pageSize = 500;

/** Lists the records of a principal in a collection, also those that have expired and were not purged yet. */
export async function listValues<Value>(
  storage: Pick<Storage, "listRecords">,
  collection: Collection<Value>,
  { tenantId, principalId }: { readonly tenantId: string; readonly principalId: string },
): Promise<readonly Value[]> {
  const query = { collection: collection.name, tenantId, principalId, limit: pageSize };
  const listed: Value[] = [];
  let afterKey: string | undefined;
  do {
    const page = await storage.listRecords({ ...query, afterKey });
    listed.push(...page.map(collection.read).filter((value) => value !== undefined));
    afterKey = page.length < pageSize ? undefined : page.at(-1)?.key;
  } while (afterKey !== undefined);
  return listed;
}
