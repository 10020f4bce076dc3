import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { RequestValidator, Violation } from "../contract/request-validator.js";
import type { Call } from "../operations/call.js";
import { callOf } from "./caller.js";
import { rpcError } from "./rpc-error.js";

/**
 * Creates the implementation of a method. It calls `handle` for each request that satisfies the contract, with the call that
 * the gate admitted. `moreViolations` checks further rules, so that the response lists all violations.
 *
 * The implementation throws RpcError UNAUTHENTICATED when there was no gate, and INVALID_FIELD when there are violations. It
 * returns the promise of `handle` itself, unless the validator returns a promise.
 *
 * @example
 * ```ts
 * import { createFetchHandler, checkedMethod } from "@platform-rpc/server";
 * import { VaultService } from "@platform-rpc/types";
 *
 * const deleteItem = checkedMethod(() => [], async () => ({}));
 * const { admit } = platform;
 * const handle = createFetchHandler({ admit, routes: (router) => router.service(VaultService, { deleteItem }) }, { logger });
 * const url = "https://api.example/platform.v1.VaultService/DeleteItem";
 * const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1" };
 * console.log((await handle(new Request(url, { method: "POST", headers, body: "{}" }))).status); // without a token
 * // 401
 * ```
 */
export function checkedMethod<Request extends Message, Response>(
  validate: RequestValidator,
  handle: (request: Request, call: Call, context: HandlerContext) => Promise<Response>,
  moreViolations: (request: Request, context: HandlerContext) => readonly Violation[] = () => [],
): (request: Request, context: HandlerContext) => Promise<Response> {
  const handleValid = (violations: readonly Violation[], request: Request, call: Call, context: HandlerContext) => {
    const all = [...violations, ...moreViolations(request, context)];
    if (all.length > 0) throw rpcError("INVALID_FIELD", { violations: all });
    return handle(request, call, context);
  };
  return (request, context) => {
    const call = callOf(context);
    const violations = validate(request);
    return violations instanceof Promise
      ? violations.then((found) => handleValid(found, request, call, context))
      : handleValid(violations, request, call, context);
  };
}
