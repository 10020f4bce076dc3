import { type AccessRef, type AccessState, accessKeys, accessOf } from "../domain/model/access.js";
import { delegations } from "../domain/model/delegation.js";
import { recordsOf } from "../domain/model/record.js";
import type { Storage } from "../ports/storage.js";

/** Reads the current state of a token's subjects. Sees everything committed before the call. */
export async function readAccess(storage: Pick<Storage, "readRecords">, ref: AccessRef): Promise<AccessState> {
  const read = await storage.readRecords(accessKeys(ref));
  const access = accessOf(recordsOf(read), ref);
  if (access.delegationId === undefined) return access;
  // Only the grant names the delegation, so that other tokens cost no further read.
  const more = await storage.readRecords([delegations.key(ref.tenantId, access.delegationId)]);
  return accessOf(recordsOf([...read, ...more]), ref);
}
