import { sentencesOf } from "@platform-rpc/options";
import { NoResponseError } from "../wire/http.js";
import { isReasonName, type PlatformErrorCode, type PlatformErrorReason } from "./code-and-reason.js";
import {
  type ErrorCause,
  type FieldViolation,
  isPlatformError,
  PlatformError,
  type PlatformErrorInit,
} from "./platform-error.js";
import type { Redact, ResponseSummary } from "./redactor.js";

/** The call that an error belongs to. */
export interface CallRef {
  readonly info: { readonly requestId: string };
  /** Whether the caller may repeat the call safely. Default: no. */
  readonly retryable?: boolean;
  /** False while no request of the call has been sent, so that it cannot have taken effect. Default: unknown. */
  readonly sent?: boolean;
  /** Who is called, for messages. */
  readonly host?: string;
  /** The URL of the API or of the accounts origin, which serve the pages about reasons. Empty: not known. */
  readonly baseUrl?: string;
  /** The token that the current attempt sends; undefined before it has one. */
  readonly token?: string | undefined;
  /** The response of the current attempt, when it has arrived. */
  readonly response?: ResponseSummary | undefined;
}

/** A call of a server that is known. */
export interface ServerCall extends CallRef {
  readonly host: string;
  /** Removes the secrets of the call from a text. */
  readonly redact: Redact;
}

export type ErrorExtras = Partial<
  Omit<PlatformErrorInit<PlatformErrorReason | undefined>, "reason" | "code" | "message">
>;

/** No platform has answered at the URL of the API, or its path is wrong, so that no page about the reason can be there either. */
const withoutPage: readonly unknown[] = ["NETWORK_ERROR", "MALFORMED_RESPONSE", "OPERATION_UNKNOWN", undefined];

/** Creates the error of a call. `text` says in whole sentences what happened, where, why and what to do; violations are added. */
export function createError(
  { info: { requestId }, retryable = false, baseUrl, response }: CallRef,
  reason: PlatformErrorReason | undefined,
  code: PlatformErrorCode,
  text: string,
  extras: ErrorExtras = {},
): PlatformError {
  const { retryAfterMs, violations = [] } = extras;
  const docsUrl = baseUrl && !withoutPage.includes(reason) ? `${baseUrl}/docs/errors/${reason}` : undefined;
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

/** `isPlatformError`, typed for the common case. */
export const isError: (value: unknown) => value is PlatformError = isPlatformError;

/** Returns whether the same call may succeed later. `resource_exhausted` counts only with a retry delay from the server. */
export function isTransient({ code, retryAfterMs }: Pick<PlatformError, "code" | "retryAfterMs">): boolean {
  if (code === "resource_exhausted") return retryAfterMs !== undefined;
  return code === "unavailable" || code === "deadline_exceeded";
}

/** Rejects a call before it is sent if there are violations. */
export function rejectInvalid(call: CallRef, violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw createError(call, "INVALID_FIELD", "invalid_argument", "Not sent.", { violations });
}

/** Codes of failures that a retry cannot fix: invalid URLs, certificates, protocols. */
const permanent = /CERT|^(BAD_PORT|ERR_(INVALID|SSL|TLS)|HPE_|EPROTO|UNABLE_TO)/;

/** Creates the error of a call that got no response, or only a part of one. */
export function networkError(call: ServerCall, thrown: unknown): PlatformError {
  const what = describe(thrown);
  const lacking = lackedBy(thrown);
  if (lacking || thrown instanceof NoResponseError) {
    const text = lacking ?? "The option fetch returned no Response. Pass a function that works like the global fetch.";
    return createError(call, "MALFORMED_RESPONSE", "unknown", text);
  }
  return createError(
    call,
    "NETWORK_ERROR",
    permanent.test(what) ? "unknown" : "unavailable",
    `No response from ${call.host} (${what}). Check baseUrl, the server, its certificate and CORS.`,
    { cause: causeOf(thrown) },
  );
}

/** Returns the text about a global that this runtime lacks, such as a test environment; undefined for other errors. */
export function lackedBy(thrown: unknown): string | undefined {
  const [missing] = (thrown instanceof ReferenceError && /^\w+(?= is not defined$)/.exec(thrown.message)) || [];
  return (
    missing &&
    `This runtime has no ${missing}. With Jest, set testEnvironment to node or jest-fixed-jsdom; jsdom alone lacks it.`
  );
}

/**
 * Returns the name and code of an error that the client did not create; its message may contain secrets. The code is the first in
 * capitals of the error or its cause, such as the `ECONNREFUSED` in the cause of the `TypeError` that `fetch` throws.
 */
export function causeOf(thrown: unknown): ErrorCause {
  const { name, reason, code, cause }: Record<"name" | "reason" | "code" | "cause", unknown> = Object(thrown);
  const { code: causeCode, message }: { readonly code?: unknown; readonly message?: unknown } = Object(cause);
  return {
    name: typeof name === "string" ? name : undefined,
    // `fetch` names a port that it blocks only in a message.
    code: [reason, code, causeCode, message === "bad port" && "BAD_PORT"].find(isReasonName),
  };
}

/** Returns the code of a thrown value, or else its name, for messages. */
export function describe(thrown: unknown): string {
  const { name, code } = causeOf(thrown);
  return code ?? name ?? "no Error";
}
