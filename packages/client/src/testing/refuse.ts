import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform-rpc/types";
import type { ContractErrorReason } from "../error/code-and-reason.js";
import type { FieldViolation, VersionConflictDetail } from "../error/platform-error.js";
import { codes, headersOf } from "./fake-failures.js";

/** The page on which the person can allow more deletions. */
export const agentsPage = "https://platform.test/console/agents";

/** Creates an error as the platform sends it (SPEC section 7): google.rpc.ErrorInfo first, then the details of the reason. */
export function refuse(
  reason: ContractErrorReason,
  {
    requestId,
    retryAfter,
    conflict,
    budget = { allowed: 0, used: 0 },
    violations,
    text = `The fake platform rejects: ${reason}.`,
  }: RefusalDetails,
): ConnectError {
  const exhausted = reason === "DELEGATION_EXHAUSTED" && {
    allowed: `${budget.allowed}`,
    used: `${budget.used}`,
    page: agentsPage,
  };
  const metadata = { ...exhausted, requestId };
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "platform.v1", metadata } };
  const seconds = retryAfter ?? 0;
  const delay = { seconds: BigInt(Math.trunc(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
  return new ConnectError(text, reason === "VERSION_CONFLICT" ? Code.Aborted : codes[reason], headersOf(reason), [
    info,
    ...(retryAfter === undefined ? [] : [{ desc: RetryInfoSchema, value: { retryDelay: delay } }]),
    ...(violations === undefined ? [] : [{ desc: BadRequestSchema, value: { fieldViolations: [...violations] } }]),
    ...(conflict === undefined ? [] : [{ desc: VersionConflictSchema, value: { ...conflict } }]),
  ]);
}

/** Throws INVALID_FIELD when there are violations. */
export function refuseInvalid(violations: readonly FieldViolation[], requestId: string): void {
  if (violations.length > 0) throw refuse("INVALID_FIELD", { requestId, violations });
}

interface RefusalDetails {
  readonly requestId: string;
  /** What happened, if the reason alone does not say it. */
  readonly text?: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly conflict?: VersionConflictDetail;
  /** For DELEGATION_EXHAUSTED. Default: no deletion is allowed. */
  readonly budget?: { readonly allowed: number; readonly used: number };
  readonly violations?: readonly FieldViolation[];
}
