import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { docs, type ErrorCause, isPlatformError, PlatformError, type PlatformErrorInit } from "./platform-error.js";

/** What is known of a call that failed. */
export interface Failed {
  readonly requestId: string;
  /** Whether the caller, should it send the call again, sends the same. Default: no. */
  readonly retryable?: boolean;
}

/** What is known of a failure besides its reason and code. */
export type Told = Partial<
  Omit<PlatformErrorInit<PlatformErrorReason>, "reason" | "requestId" | "retryable" | "message">
> & {
  readonly message?: string | undefined;
};

/** The error of a call. */
export const failure = (
  { requestId, retryable = false }: Failed,
  reason: PlatformErrorReason,
  code: PlatformErrorCode,
  told?: Told,
): PlatformError => {
  const known = { code, ...told, reason, requestId };
  return new PlatformError({
    ...known,
    message: `${reason}: ${told?.message ?? docs + reason} (request ${requestId})`,
    retryable: retryable && isTransient(known),
  });
};

/** As `isPlatformError`, for what is either an answer or an error. */
export const isError: (value: unknown) => value is PlatformError = isPlatformError;

/** Whether the same call may succeed later. A server that is short of something must say when. */
export const isTransient = ({
  code,
  retryAfterMs,
}: Pick<PlatformErrorInit<PlatformErrorReason>, "code" | "retryAfterMs">): boolean => {
  return (
    code === "unavailable" ||
    code === "deadline_exceeded" ||
    (code === "resource_exhausted" && retryAfterMs !== undefined)
  );
};

/** What may be told of something that was thrown: messages of foreign errors may hold secrets. */
export const causeOf = (thrown: unknown): { readonly cause: ErrorCause } => {
  const { name, code, cause }: Partial<ErrorCause> & { readonly cause?: Partial<ErrorCause> } = Object(thrown);
  return { cause: { name, code: code ?? cause?.code } };
};
