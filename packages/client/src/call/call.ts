import type { Operation } from "../contract.js";
import type { CallRef } from "../error/create-error.js";
import { createRedactor, type Redact } from "../error/redactor.js";
import type { ClientContext } from "../options/client-context.js";
import { runAttempts } from "./attempts.js";
import type { KeyedCallOptions } from "./call-options.js";
import { type CallInfo, notify } from "./hooks.js";
import { newId } from "./new-id.js";
import { applyRetry } from "./retry.js";
import { runStep } from "./run-step.js";

/** A call while it runs. Hooks see its `info` only. */
export interface Call extends CallRef {
  readonly info: CallInfo & { requestId: string };
  /** Who is called, for messages. */
  readonly host: string;
  waitingFor: string;
  /** What `redact` removes from texts. */
  readonly secrets: string[];
  readonly redact: Redact;
}

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

/** Sends a request once and reads the answer. The headers are complete but for those of the protocol. */
export type Send<Answer> = (headers: Headers, signal: AbortSignal, timeoutMs: number) => Promise<Answered<Answer>>;

/** Calls an operation: the one way from a request to its result, or to a `PlatformError`. `prepare` encodes the request. */
export type Caller = <Answer extends object>(
  operation: Operation,
  prepare: (call: Call) => Send<Answer>,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

export function createCaller(context: ClientContext): Caller {
  const { clock, hooks, host, userAgent, clientHeader } = context;
  return ({ path, retrySafety }, prepare, options = {}) => {
    const { timeoutMs: ms = context.timeoutMs, idempotencyKey } = options;
    const endsAt = clock.now() + ms;
    const key = retrySafety === "with_key" ? idempotencyKey || newId() : "";
    const secrets = [key];
    const call: Call = {
      ...{ host, secrets, redact: createRedactor(secrets), waitingFor: host, trace: new Error() },
      info: { operation: path, requestId: newId() },
      retryable: retrySafety === "idempotent" || (retrySafety === "with_key" && !!idempotencyKey),
    };
    return runStep({
      ...{ call, clock, ms, limit: "timeoutMs", signal: options.signal },
      async run(signal) {
        const headers = new Headers(options.headers);
        call.info.requestId = headers.get("X-Request-Id") ?? call.info.requestId;
        headers.set("X-Request-Id", call.info.requestId);
        if (key) headers.set("Idempotency-Key", key);
        if (userAgent) headers.set("User-Agent", userAgent);
        if (!headers.has(clientHeader[0])) headers.set(...clientHeader);
        notify(hooks, (one) => one.onStart?.(call.info));
        const limits = applyRetry(context.limits, retrySafety === "none" ? false : options.retry);
        return runAttempts(context, { call, headers, send: prepare(call), signal, endsAt, limits });
      },
      ended: (outcome) => notify(hooks, (one) => one.onEnd?.(call.info, outcome)),
    });
  };
}

/** Adds what every result carries. */
export function answered<Answer extends object>(call: Call, answer: Answer, response: ResponseInfo): Answered<Answer> {
  const { requestId } = call.info;
  return Object.defineProperty(Object.assign(answer, { requestId, response }), "response", { enumerable: false });
}

/** Takes the request id that an answer names. */
export function noteRequestId({ info, redact }: Call, headers: Headers): void {
  info.requestId = redact(headers.get("X-Request-Id") ?? info.requestId);
}
