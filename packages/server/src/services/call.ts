import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Actor } from "../domain/model/actor.js";
import type { Delegation } from "../domain/model/delegation.js";
import { rpcError } from "./rpc-error.js";

/**
 * A call of an operation by an admitted caller.
 *
 * @example
 * ```ts
 * import type { Call } from "@platform-rpc/server";
 *
 * const actor = { tenantId: "acme", principalId: "job", oauthClientId: "nightly", tokenId: "none" };
 * const call: Call = { actor: { ...actor, operation: "nightly", requestId: crypto.randomUUID() }, wanted: () => true };
 * console.log(await platform.operations.createVault({ tenantId: "acme", vaultId: "archive", retentionDays: 90 }, call));
 * // { ok: true, vaultId: 'archive' }
 * ```
 */
export interface Call {
  readonly actor: Actor;
  /** The delegation that bounds the caller, as it was at most a second ago. Default: there are no bounds. */
  readonly delegation?: Delegation | undefined;
  /** Returns whether the caller still waits for the result. If it returns false, the work is dropped before it begins. */
  readonly wanted: () => boolean;
}

/** The context key under which the gate stores the admitted call. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "the admitted call" });

/**
 * Returns the call that the gate admitted.
 *
 * @throws RpcError UNAUTHENTICATED when there was no gate, so that a host without the gate serves no calls.
 */
export function callOf(context: HandlerContext): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw rpcError("UNAUTHENTICATED");
  return call;
}
