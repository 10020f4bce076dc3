import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { type FieldViolation, isPlatformError, PlatformError, type PlatformErrorInit } from "./platform-error.js";
import type { ResponseSummary } from "./safe-headers.js";

/** The call that an error belongs to. */
export interface CallRef {
  readonly info: { readonly requestId: string };
  /** Whether the caller may repeat the call safely. Default: no. */
  readonly retryable?: boolean;
  /** False while no request of the call has been sent, so that it cannot have taken effect. Default: unknown. */
  readonly sent?: boolean;
  /** Who is called, for messages. */
  readonly host?: string;
  /** The URL of the API, which serves the pages about reasons. Empty: not known. */
  readonly baseUrl?: string;
  /** The token that the current attempt sends; undefined before it has one. */
  readonly token?: string | undefined;
  /** The response of the current attempt, when it has arrived. */
  readonly response?: ResponseSummary | undefined;
}

/** The optional parts of an error. */
export type ErrorExtras = Partial<
  Omit<PlatformErrorInit<PlatformErrorReason | undefined>, "reason" | "code" | "message">
>;

/**
 * Creates the error of a call. `text` says in whole sentences what happened, where, why and what to do next; violations are added
 * to it.
 */
export function createError(
  { info: { requestId }, retryable = false, baseUrl, response }: CallRef,
  reason: PlatformErrorReason | undefined,
  code: PlatformErrorCode,
  text: string,
  extras: ErrorExtras = {},
): PlatformError {
  const { retryAfterMs, violations = [] } = extras;
  const docsUrl = baseUrl ? `${baseUrl}/docs/errors/${reason ?? ""}` : undefined;
  return new PlatformError({
    reason,
    code,
    requestId,
    docsUrl,
    detail: undefined,
    ...response,
    ...extras,
    message: `${reason ?? code}: ${text}${sentencesOf(violations)} Request ${requestId}.${docsUrl ? ` ${docsUrl}` : ""}`,
    retryable: retryable && isTransient({ code, retryAfterMs }),
  });
}

/** Returns a sentence for each violation, with a space in front, for messages. */
export const sentencesOf = (violations: readonly FieldViolation[]): string =>
  violations.map(({ field, description }) => ` ${field} ${description}.`).join("");

/** `isPlatformError`, typed for the common case. */
export const isError: (value: unknown) => value is PlatformError = isPlatformError;

/** Returns whether the same call may succeed later. `resource_exhausted` counts only with a retry delay from the server. */
export function isTransient({ code, retryAfterMs }: Pick<PlatformError, "code" | "retryAfterMs">): boolean {
  if (code === "resource_exhausted") return retryAfterMs !== undefined;
  return code === "unavailable" || code === "deadline_exceeded";
}
