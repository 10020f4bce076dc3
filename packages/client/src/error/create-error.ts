import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { type DetailOf, docs, isPlatformError, PlatformError, type PlatformErrorInit } from "./platform-error.js";

/** The call that an error belongs to. */
export interface CallRef {
  readonly info: { readonly requestId: string };
  /** Whether the caller may repeat the call safely. Default: no. */
  readonly retryable?: boolean;
  /** Where the caller called. */
  readonly trace?: Error;
  /** What the call waits for now, for the message of a deadline. */
  readonly waitingFor?: string;
}

type Extras = Pick<PlatformErrorInit<PlatformErrorReason>, "retryAfterMs" | "violations" | "status" | "headers">;

/** An error without what every error of the same call has in common. */
export interface ErrorInit extends Extras {
  readonly reason: PlatformErrorReason;
  readonly code: PlatformErrorCode;
  /** What happened, where, why and what to do next, in whole sentences. */
  readonly text: string;
  readonly detail?: DetailOf<PlatformErrorReason>;
  readonly cause?: unknown;
}

/** Creates the error of a call. Its stack begins at the line that made the call, not at a timer or a socket. */
export function createError({ info, retryable = false, trace }: CallRef, { text, ...init }: ErrorInit): PlatformError {
  const { requestId } = info;
  const message = `${init.reason}: ${text} Request ${requestId}. ${docs}${init.reason}`;
  const error = new PlatformError({
    detail: undefined,
    ...init,
    message,
    requestId,
    retryable: retryable && isTransient(init),
  });
  const stack = trace?.stack?.replace(/^Error.*/, () => `${error}`);
  if (stack) Object.defineProperty(error, "stack", { value: stack });
  return error;
}

/** `isPlatformError`, typed for the common case. */
export const isError: (value: unknown) => value is PlatformError = isPlatformError;

/** Whether the same call may succeed later. A server that is short of something must say when. */
export function isTransient({ code, retryAfterMs }: Pick<ErrorInit, "code" | "retryAfterMs">): boolean {
  if (code === "resource_exhausted") return retryAfterMs !== undefined;
  return code === "unavailable" || code === "deadline_exceeded";
}
