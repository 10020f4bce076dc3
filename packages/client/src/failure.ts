import { isErrorName } from "./contract.js";
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
    message: `${reason}: ${told?.message || docs + reason} (request ${requestId})`,
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

/** Something that was thrown. It is looked at, not believed. */
interface Thrown {
  readonly name?: string;
  readonly reason?: unknown;
  readonly code?: unknown;
  readonly cause?: { readonly code?: unknown };
}

/**
 * What may be told of something that was thrown, for its message may hold secrets: its name, and the first of its codes that
 * can be none, as the `ECONNREFUSED` beneath the `TypeError` of `fetch`; the reason, when it is an error of a client.
 */
export const causeOf = (thrown: unknown): { readonly cause: ErrorCause } => {
  const { name, reason, code, cause }: Thrown = Object(thrown);
  return { cause: { name, code: [reason, code, cause?.code].find(isErrorName) } };
};
