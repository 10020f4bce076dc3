import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Call } from "../operations/call.js";
import { rpcError } from "./rpc-error.js";

/** Where the gate puts the call that it admitted. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "the admitted call" });

/**
 * The call that the gate admitted.
 *
 * @throws RpcError UNAUTHENTICATED when there was no gate: an implementation never serves a host that forgot it.
 */
export function callOf(context: HandlerContext): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw rpcError("UNAUTHENTICATED");
  return call;
}
