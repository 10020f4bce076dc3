import { type AccessRef, type AccessState, accessKeys, accessOf } from "../domain/access.js";
import { recordsOf } from "../domain/record.js";
import type { Storage } from "../ports/storage.js";

/** Reads the current state of a token's subjects. Sees everything committed before the call. */
export async function readAccess(storage: Pick<Storage, "readRecords">, ref: AccessRef): Promise<AccessState> {
  return accessOf(recordsOf(await storage.readRecords(accessKeys(ref))), ref);
}
