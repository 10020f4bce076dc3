import { refreshFamilies } from "../domain/refresh-family.js";
import { revokeRefreshFamily } from "../domain/revoke-refresh-family.js";
import type { Clock } from "../ports/clock.js";
import type { Ref, Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** Returns the reference to the record of a refresh family. */
export function refOfFamily(familyId: string): Extract<Ref, { kind: "record" }> {
  return { kind: "record", collection: refreshFamilies, key: familyId };
}

/** Revokes the refresh family of a consumed device code that a foreign caller has sent: its tokens may have leaked, too. */
export async function revokeLeakedFamily(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leakedGrantId: string | undefined,
  { actor }: Call,
): Promise<void> {
  if (leakedGrantId === undefined) return;
  const rule = revokeRefreshFamily("the platform", "code reused by a foreign caller", actor, clock.now());
  await storage.transact(refOfFamily(leakedGrantId), rule);
}
