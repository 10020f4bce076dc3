import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Call } from "../operations/call.js";
import { rpcError } from "./rpc-error.js";

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
