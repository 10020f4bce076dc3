import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { RequestValidator, Violation } from "../contract/request-validator.js";
import type { Call } from "../operations/call.js";
import { callOf } from "./caller.js";
import { rpcError } from "./rpc-error.js";

/**
 * The call that the gate admitted, of a request that is within the bounds of the contract. `more` is what else was found
 * wrong with it, so that the answer lists everything at once.
 *
 * @throws RpcError UNAUTHENTICATED when there was no gate, INVALID_FIELD.
 */
export function checkedCall(
  validate: RequestValidator,
  request: Message,
  context: HandlerContext,
  more: readonly Violation[] = [],
): Call {
  const call = callOf(context);
  const violations = [...validate(request), ...more];
  if (violations.length > 0) throw rpcError("INVALID_FIELD", { violations });
  return call;
}
