import { allows, type VaultAction } from "../domain/bounds.js";
import type { Call } from "./call.js";

/** No principal has an empty id. */
const nobody = "";

/**
 * Returns the principal as whom a call reads a vault. It is nobody if the bounds of the caller's delegation do not allow the action: the
 * storage then takes the same path as for a principal who is not a member, so the response and its time are the same.
 */
export function readerOf(
  { actor, delegation }: Pick<Call, "actor" | "delegation">,
  vaultId: string,
  action: VaultAction,
) {
  const allowed = delegation === undefined || allows(delegation.bounds, vaultId, action);
  return allowed ? actor.principalId : nobody;
}
