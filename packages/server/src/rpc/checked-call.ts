import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { RequestValidator, Violation } from "../contract/request-validator.js";
import type { Call } from "../operations/call.js";
import { callOf } from "./caller.js";
import { rpcError } from "./rpc-error.js";

/**
 * Returns the call that the gate admitted, if the request satisfies the contract. `more` contains further violations, so
 * that the response lists all of them.
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
