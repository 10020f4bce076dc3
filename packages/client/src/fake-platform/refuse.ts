import { type Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform/types";
import type { ContractErrorReason } from "../contract.js";
import type { VersionConflictDetail } from "../platform-error.js";

/** A refusal in the platform's form (SPEC section 7): google.rpc.ErrorInfo first, then what the reason carries. */
export function refuse(
  code: Code,
  reason: ContractErrorReason,
  { requestId, retryAfter, conflict }: RefusalDetails,
): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "platform.v1", metadata: { requestId } } };
  const seconds = retryAfter ?? 0;
  const delay = { seconds: BigInt(Math.trunc(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
  return new ConnectError(`The fake platform refuses: ${reason}.`, code, undefined, [
    info,
    ...(retryAfter === undefined ? [] : [{ desc: RetryInfoSchema, value: { retryDelay: delay } }]),
    ...(conflict === undefined ? [] : [{ desc: VersionConflictSchema, value: { ...conflict } }]),
  ]);
}

interface RefusalDetails {
  readonly requestId: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly conflict?: VersionConflictDetail;
}
