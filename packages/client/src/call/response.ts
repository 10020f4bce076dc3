import type { Redact } from "../error/redactor.js";
import { type ResponseSummary, safeHeaders } from "../error/safe-headers.js";

/** The response that brought a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
}

/** A result, with the request id that identifies the call in the server's logs, and the response that brought it. */
export type Answered<Answer> = Answer & {
  readonly requestId: string;
  /** Not enumerable: `JSON.stringify` and copies of the result leave it out. */
  readonly response: ResponseInfo;
};

/** The part of a call that a response changes. */
interface Answerable {
  readonly info: { requestId: string };
  readonly redact: Redact;
  response?: ResponseSummary | undefined;
}

/** Notes what errors and hooks show of a response, and the request id that it names. */
export function noteResponse(call: Answerable, headers: Headers, status?: number): void {
  call.response = { status, headers: safeHeaders(headers, call.redact) };
  call.info.requestId = call.response.headers["x-request-id"] ?? call.info.requestId;
}

/** Adds what every result carries. */
export function answered<Answer extends object>(
  { info: { requestId } }: Answerable,
  answer: Answer,
  { status, headers }: ResponseInfo,
): Answered<Answer> {
  const response = { status, headers };
  return Object.defineProperty(Object.assign(answer, { requestId, response }), "response", { enumerable: false });
}
