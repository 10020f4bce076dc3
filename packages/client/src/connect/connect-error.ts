import { create, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@platform-rpc/types";
import { type Call, noteResponse } from "../call/call.js";
import { errorCodes } from "../error/code-and-reason.js";
import { causeOf, createError, describe, networkError } from "../error/create-error.js";
import { errorOfAnswer } from "../error/error-answer.js";
import { isPlatformError, type PlatformError } from "../error/platform-error.js";
import type { HttpAnswer } from "../wire/http.js";
import { InterceptorError } from "./interceptor-error.js";

/** The responses that caused the errors of the HTTP transport. Not on the error itself, so that no interceptor logs them. */
export const httpAnswers = new WeakMap<ConnectError, HttpAnswer>();

/** No response arrived. The cause is what the network layer threw. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

export function toPlatformError(thrown: unknown, call: Call): PlatformError {
  const isConnect = thrown instanceof ConnectError;
  const cause = isConnect ? thrown.cause : thrown;
  if (isPlatformError(cause)) return cause;
  if (cause instanceof InterceptorError) {
    const text = `An interceptor of the client failed (${describe(cause.cause)}). See error.cause, and correct the interceptor.`;
    return createError(call, "INTERCEPTOR_FAILED", "unknown", text, { cause: cause.cause });
  }
  if (cause instanceof NoAnswerError) return networkError(call, cause.cause);
  // `ConnectError.from(error)` of an interceptor has the error as its cause.
  const answer = [thrown, cause].map((one) => one instanceof ConnectError && httpAnswers.get(one)).find(Boolean);
  if (answer) {
    noteResponse(call, answer.headers, answer.status);
    return errorOfAnswer(call, answer.text);
  }
  if (isConnect && (thrown.details.length > 0 || !isOfNetwork(cause))) return errorOfTransport(call, thrown);
  if (isOfNetwork(cause)) return networkError(call, cause);
  const text = `The transport failed (${describe(cause)}). Check the transport that the client was created with.`;
  return createError(call, "MALFORMED_RESPONSE", "unknown", text, { cause: causeOf(cause) });
}

/** Reads the error of a caller's transport as if it had arrived over HTTP. */
function errorOfTransport(call: Call, thrown: ConnectError): PlatformError {
  const code = errorCodes[thrown.code - 1] ?? "unknown";
  // Errors that did not come over the wire contain the messages.
  const details = thrown.details.map((detail) =>
    "desc" in detail
      ? { type: detail.desc.typeName, debug: toJson(detail.desc, create(detail.desc, detail.value)) }
      : { type: detail.type, value: base64Encode(detail.value), debug: detail.debug },
  );
  noteResponse(call, thrown.metadata);
  return errorOfAnswer(call, JSON.stringify({ code, message: thrown.rawMessage, details }), code);
}

/**
 * Returns whether a network layer may have thrown the error: a `TypeError` as from `fetch`, an error with a code as from Node, or
 * the error of `AbortSignal.timeout`.
 */
function isOfNetwork(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown instanceof TypeError || thrown.name === "TimeoutError" || "code" in thrown;
}

/** Returns the `ConnectError` that libraries built on Connect expect, with the `PlatformError` as its cause. */
export function toConnectError(error: PlatformError): ConnectError {
  const { code, reason, requestId, headers, message } = error;
  const value = { reason: reason ?? "", domain: "platform.v1", metadata: { requestId } };
  const details = reason === undefined ? [] : [{ desc: ErrorInfoSchema, value }];
  return new ConnectError(message, errorCodes.indexOf(code) + 1, new Headers(headers), details, error);
}
