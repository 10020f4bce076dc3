import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { VersionConflictSchema } from "@platform-rpc/types";
import type { RequestValidator, Violation } from "../contract/request-validator.js";
import type { VersionConflict } from "../domain/model/item.js";
import { type Call, callOf } from "./call.js";
import { RpcError, type RpcErrorOptions, rpcError } from "./rpc-error.js";

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

/** Creates the errors of one operation. Its type contains the reasons that the contract lists for the operation. */
export type CreateError<Reason extends string> = (reason: Reason, extras?: RpcErrorOptions) => RpcError;

export interface Rejection {
  readonly ok: false;
  readonly reason: string;
}

export type ReasonOf<Result> = Extract<Result, Rejection>["reason"];

/** What an error says of a rejection besides its reason, or another error. */
export type ErrorOf<Result, Rejected, Error> = (rejection: Extract<Result, { readonly reason: Rejected }>) => Error;

/** By default, the reason of a rejection is the reason of the error. Required for each reason that the contract does not list. */
export type ErrorsOf<Result, Reason extends string> = {
  readonly [Rejected in Exclude<ReasonOf<Result>, Reason>]: ErrorOf<Result, Rejected, RpcError>;
} & {
  readonly [Rejected in Extract<ReasonOf<Result>, Reason>]?: ErrorOf<Result, Rejected, RpcErrorOptions | RpcError>;
};

export interface Handled<Request extends Message, Result, Reason extends string, Response> {
  readonly validate: RequestValidator;
  readonly error: CreateError<Reason>;
  /** Checks further rules of the request, so that the response lists all violations. Default: there are none. */
  readonly violations?: (request: Request, context: HandlerContext) => readonly Violation[];
  /** Runs the operation for a valid request of an admitted call. */
  readonly run: (request: Request, call: Call, context: HandlerContext) => Promise<Result>;
  readonly answer: (result: Exclude<Result, Rejection>) => Response;
}

/**
 * Creates the handler of an operation: validates the request, runs the operation, and converts its result to a response or its
 * rejection to an error. A reason that the contract does not list for the operation, and `errors` does not convert, does not compile.
 */
export function handle<Request extends Message, Result extends object, Reason extends string, Response>(
  handled: Handled<Request, Result, Reason, Response> &
    (ReasonOf<Result> extends Reason
      ? { readonly errors?: ErrorsOf<Result, Reason> }
      : { readonly errors: ErrorsOf<Result, Reason> }),
): (request: Request, context: HandlerContext) => Promise<Response>;
export function handle<Request extends Message, Response>({
  validate,
  error,
  violations,
  run,
  answer,
  errors = {},
}: Handled<Request, object, string, Response> & {
  readonly errors?: Readonly<Record<string, ErrorOf<Rejection, string, RpcErrorOptions | RpcError> | undefined>>;
}): (request: Request, context: HandlerContext) => Promise<Response> {
  return checkedMethod(
    validate,
    async (request: Request, call, context) => {
      const result = await run(request, call, context);
      if (!isRejection(result)) return answer(result);
      const { reason } = result;
      const converted = errors[reason]?.(result);
      throw converted instanceof RpcError ? converted : error(reason, converted);
    },
    violations,
  );
}

function isRejection(result: object): result is Rejection {
  return "ok" in result && result.ok === false;
}

/** Returns the detail of a VERSION_CONFLICT: the current version of the item. */
export function versionConflict({ conflict }: { readonly conflict: VersionConflict }): RpcErrorOptions {
  const { vaultId, sequence, ...rest } = conflict;
  return { detail: { desc: VersionConflictSchema, value: { ...rest, cursor: { vaultId, sequence } } } };
}
