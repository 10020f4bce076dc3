import type { Redact } from "../error/redactor.js";
import { type ResponseSummary, safeHeaders } from "../error/safe-headers.js";
import type { ResponseHeaders } from "../wire/fetch.js";

/** The HTTP response that contained a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** A result, with the request id that identifies the call in the server's logs, and its HTTP response. */
export type Answered<Answer> = Answer & {
  readonly requestId: string;
  /** Not enumerable: `JSON.stringify` and copies of the result omit it. */
  readonly response: ResponseInfo;
};

/** The parts of a call that a response updates. */
interface Answerable {
  readonly info: { requestId: string };
  readonly redact: Redact;
  response?: ResponseSummary | undefined;
}

/** Records the parts of a response that errors and hooks contain, and its request id. */
export function noteResponse(call: Answerable, headers: ResponseHeaders, status?: number): void {
  call.response = { status, headers: safeHeaders(headers, call.redact) };
  call.info.requestId = call.response.headers["x-request-id"] ?? call.info.requestId;
}

/** Adds the request id and the response to a result. */
export function answered<Answer extends object>(
  { info: { requestId } }: Answerable,
  answer: Answer,
  { status, headers }: ResponseInfo,
): Answered<Answer> {
  const response = { status, headers };
  return Object.defineProperty(Object.assign(answer, { requestId, response }), "response", { enumerable: false });
}
