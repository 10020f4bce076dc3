import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform-rpc/types";
import type { ContractErrorReason } from "../contract.js";
import type { FieldViolation, VersionConflictDetail } from "../error/platform-error.js";

/** A refusal in the platform's form (SPEC section 7): google.rpc.ErrorInfo first, then what the reason carries. */
export function refuse(
  code: Code,
  reason: ContractErrorReason,
  { requestId, retryAfter, conflict, violations }: RefusalDetails,
): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "platform.v1", metadata: { requestId } } };
  const seconds = retryAfter ?? 0;
  const delay = { seconds: BigInt(Math.trunc(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
  return new ConnectError(`The fake platform refuses: ${reason}.`, code, undefined, [
    info,
    ...(retryAfter === undefined ? [] : [{ desc: RetryInfoSchema, value: { retryDelay: delay } }]),
    ...(violations === undefined ? [] : [{ desc: BadRequestSchema, value: { fieldViolations: [...violations] } }]),
    ...(conflict === undefined ? [] : [{ desc: VersionConflictSchema, value: { ...conflict } }]),
  ]);
}

/** As the platform refuses a request that lacks something: every field of both operations is required. */
export function refuseEmpty(request: Message, requestId: string): void {
  const fields: Readonly<Record<string, unknown>> = { ...request };
  const violations = Object.keys(fields)
    .filter((field) => fields[field] === "" || fields[field] === 0)
    .map((field) => ({ field, description: "is required" }));
  if (violations.length > 0) throw refuse(Code.InvalidArgument, "INVALID_FIELD", { requestId, violations });
}

/** As the platform refuses an Idempotency-Key that is none. */
export function refuseKey(key: string, requestId: string): void {
  if (/^[!-~]{16,128}$/.test(key)) return;
  const violations = [{ field: "Idempotency-Key", description: "must be 16 to 128 visible ASCII characters" }];
  throw refuse(Code.InvalidArgument, "INVALID_FIELD", { requestId, violations });
}

interface RefusalDetails {
  readonly requestId: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly conflict?: VersionConflictDetail;
  readonly violations?: readonly FieldViolation[];
}
