import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@platform-rpc/types";
import { type PublicReason, publicContract } from "../contract/contract.js";
import type { ReasonSpec, Reasons } from "../contract/reasons.js";
import type { Violation } from "../contract/request-validator.js";
import type { EveryCallReason, OperationReasons } from "../gen/operation-reasons.js";

/** The domain of an ErrorInfo whose reason belongs to no other version of the contract. */
const firstDomain = "platform.v1";

/** Optional parts of an error. */
export interface RpcErrorOptions {
  /** What happened and what to do, for a person. Never contains input. Default: the message of the reason. */
  readonly message?: string;
  /** The content of a google.rpc.BadRequest detail. */
  readonly violations?: readonly Violation[];
  /** The delay in a google.rpc.RetryInfo detail and, rounded up to seconds, in a Retry-After header. */
  readonly retryAfterMs?: number;
  /** A detail message that the contract defines. */
  readonly detail?: { readonly desc: DescMessage; readonly value: MessageInitShape<DescMessage> };
  /** The metadata of the ErrorInfo, besides the request id. Default: none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error of the contract: a ConnectError whose first detail is the ErrorInfo, so that any Connect host can send it. The code
 * that writes the response adds the request id, with `withRequestId`.
 */
export class RpcError extends ConnectError {
  readonly reason: string;
  readonly httpStatus: number;
  /** The definition of the reason that the error was created with. */
  readonly spec: ReasonSpec;
  /** The optional parts that the error was created with. */
  readonly extras: RpcErrorOptions;

  constructor(reason: string, spec: ReasonSpec, extras: RpcErrorOptions) {
    const { code, httpStatus, message, domain = firstDomain } = spec;
    const { violations, retryAfterMs, detail, metadata = {}, headers } = extras;
    super(extras.message ?? message, code, {
      ...headers,
      ...(retryAfterMs !== undefined && { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) }),
    });
    this.reason = reason;
    this.httpStatus = httpStatus;
    this.spec = spec;
    this.extras = extras;
    this.details = [
      { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason, domain, metadata }) },
      ...(violations === undefined
        ? []
        : [{ desc: BadRequestSchema, value: { fieldViolations: violations.map((violation) => ({ ...violation })) } }]),
      ...(retryAfterMs === undefined
        ? []
        : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } }]),
      ...(detail === undefined ? [] : [detail]),
    ];
  }

  /** The check of ConnectError compares only names. This one also requires the members that only this class has. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof ConnectError && "spec" in value && "extras" in value;
  }
}

/**
 * Creates a function that creates errors from a table of reasons.
 *
 * @example
 * ```ts
 * import { Code } from "@connectrpc/connect";
 * import { createRpcErrors } from "@platform-rpc/server";
 *
 * const message = "The tray is empty. Fill the tray.";
 * const reasons = new Map([["OUT_OF_PAPER", { code: Code.FailedPrecondition, httpStatus: 409, message }]]);
 * const printerError = createRpcErrors<"OUT_OF_PAPER">(reasons);
 * console.log(printerError("OUT_OF_PAPER").message);
 * // [failed_precondition] The tray is empty. Fill the tray.
 * ```
 */
export function createRpcErrors<Reason extends string>(reasons: Reasons) {
  return (reason: Reason, extras: RpcErrorOptions = {}): RpcError => {
    const spec = reasons.get(reason);
    if (spec === undefined) throw new TypeError(`${reason} is not a reason of the contract`);
    return new RpcError(reason, spec, extras);
  };
}

/**
 * Creates an error with a reason of the public contract.
 *
 * @example
 * ```ts
 * import { rpcError } from "@platform-rpc/server";
 *
 * console.log(rpcError("RATE_LIMITED", { retryAfterMs: 1500 }).metadata.get("Retry-After"));
 * // 2
 * ```
 */
export const rpcError = createRpcErrors<PublicReason>(publicContract.reasons);

/** Returns `rpcError` for one operation. A reason that the contract does not list for the operation does not compile. */
export function rpcErrorOf<Operation extends keyof OperationReasons>(name: Operation) {
  const operation = publicContract.operations.get(name);
  if (operation === undefined)
    throw new TypeError(`${name} is not an operation of the contract. Run \`pnpm generate\``);
  return createRpcErrors<OperationReasons[Operation] | EveryCallReason>(publicContract.reasonsOf(operation));
}

/** Returns the error with the code, status, message and domain that `reasons` define for it. */
export function withReasons(error: RpcError, reasons: Reasons): RpcError {
  const spec = reasons.get(error.reason);
  return spec === undefined || spec === error.spec ? error : new RpcError(error.reason, spec, error.extras);
}

/** Adds the request id to the ErrorInfo of an error, and returns the error. */
export function withRequestId(error: ConnectError, requestId: string): ConnectError {
  const [info, ...others] = error.details;
  if (info === undefined || !("desc" in info) || info.desc.typeName !== ErrorInfoSchema.typeName) return error;
  const metadata = { ...(error instanceof RpcError && error.extras.metadata), requestId };
  error.details = [{ desc: info.desc, value: { ...info.value, metadata } }, ...others];
  return error;
}
