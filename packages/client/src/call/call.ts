import type { ServerCall } from "../error/create-error.js";
import { type ResponseSummary, safeHeaders } from "../error/redactor.js";
import type { KeyedCallOptions } from "../options/client-options.js";
import type { CallInfo } from "../options/hooks.js";
import type { ResponseHeaders } from "../wire/http.js";

/** What a client must know about an operation. `gen/operations.ts` defines one for each public operation of the contract. */
export interface Operation {
  readonly path: string;
  /** Whether a call may be retried: always, only with the same Idempotency-Key, or never. */
  readonly retrySafety: "idempotent" | "with_key" | "none";
  /** The JSON names of the request's fields, including those of nested messages. Nothing else is sent. */
  readonly fields: string[];
  readonly required: readonly string[];
  /** The fields that no error may repeat. */
  readonly secrets: readonly string[];
}

/** A call while it runs. Hooks see its `info` only. */
export interface Call extends ServerCall {
  readonly info: CallInfo & { requestId: string };
  readonly baseUrl: string;
  token?: string | undefined;
  sent: boolean;
  /** The secrets that `redact` removes from texts. */
  readonly secrets: string[];
  response?: ResponseSummary | undefined;
  readonly timeoutMs: number;
  /** The deadline, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly maxAttempts: number;
  readonly attemptTimeoutMs: number;
}

/** Headers by lower-case name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** Sends a request once and reads the response. `headers` lacks only the headers of the protocol. */
export type Send<Answer> = (headers: HeaderRecord, signal: AbortSignal, timeoutMs: number) => Promise<Answered<Answer>>;

/**
 * Calls an operation. Every call goes through it and resolves with a result or rejects with a `PlatformError`. `prepare` encodes
 * the request, which has every required field.
 */
export type Caller = <Answer extends object>(
  operation: Operation,
  request: unknown,
  prepare: (call: Call) => Send<Answer>,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

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

/** Records the parts of a response that errors and hooks contain, and its request id. */
export function noteResponse(call: Call, headers: ResponseHeaders, status?: number): void {
  call.response = { status, headers: safeHeaders(headers, call.redact, `${call.baseUrl}/${call.info.operation}`) };
  call.info.requestId = call.response.headers["x-request-id"] ?? call.info.requestId;
}

export function answered<Answer extends object>(
  { info: { requestId } }: Call,
  answer: Answer,
  { status, headers }: ResponseInfo,
): Answered<Answer> {
  const response = { status, headers };
  return Object.defineProperty(Object.assign(answer, { requestId, response }), "response", { enumerable: false });
}
