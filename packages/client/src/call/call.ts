import type { Operation } from "../contract.js";
import type { CallRef } from "../error/create-error.js";
import { createRedactor, type Redact } from "../error/redactor.js";
import type { ResponseSummary } from "../error/safe-headers.js";
import type { ClientContext } from "../options/client-context.js";
import { callRules, invalidOptions, keyedCallRules } from "../options/option-rules.js";
import { runAttempts } from "./attempts.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { CallInfo } from "./hooks.js";
import { newId } from "./new-id.js";
import { rejectInvalid } from "./reject-invalid.js";
import type { Answered } from "./response.js";
import { runStep } from "./run-step.js";
import { canceled } from "./with-deadline.js";

/** A call while it runs. Hooks see its `info` only. */
export interface Call extends CallRef {
  readonly info: CallInfo & { requestId: string };
  readonly host: string;
  readonly baseUrl: string;
  token?: string | undefined;
  sent: boolean;
  /** The secrets that `redact` removes from texts. */
  readonly secrets: string[];
  readonly redact: Redact;
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

/** The server's limit for one call. */
const longestAttemptMs = 30_000;

export function createCaller(context: ClientContext): Caller {
  const { baseUrl, clock, host, notify } = context;
  return ({ path, retrySafety, required, secrets: secretFields }, request, prepare, given) => {
    const takesKey = retrySafety === "with_key";
    // Programs in JavaScript may pass null.
    const invalid = invalidOptions(given ?? {}, takesKey ? keyedCallRules : callRules);
    const options = invalid.length > 0 ? {} : (given ?? {});
    const { timeoutMs = context.timeoutMs, idempotencyKey, retry = context.retry } = options;
    const { maxAttempts = 4, attemptTimeoutMs = longestAttemptMs } = { ...context.retry, ...retry };
    const key = takesKey ? idempotencyKey || newId() : "";
    const fields: Readonly<Record<string, unknown>> = Object(request);
    const secrets = [key];
    const call: Call = {
      baseUrl,
      host,
      sent: false,
      secrets,
      redact: createRedactor(secrets),
      timeoutMs,
      endsAt: clock.now() + timeoutMs,
      maxAttempts: retry && retrySafety !== "none" ? maxAttempts : 1,
      attemptTimeoutMs,
      info: { operation: path, requestId: newId() },
      retryable: retrySafety === "idempotent" || (takesKey && !!idempotencyKey),
    };
    const { signal } = options;
    return runStep(
      call,
      clock,
      async () => {
        if (signal?.aborted) throw canceled(call, signal);
        const missing = required.filter((field) => fields[field] === undefined);
        rejectInvalid(call, [...invalid, ...missing.map((field) => ({ field, description: "is required" }))]);
        secrets.push(...secretFields.map((field) => String(fields[field])));
        const headers = {
          "x-request-id": call.info.requestId,
          ...context.headers,
          ...Object.fromEntries(new Headers(options.headers)),
          ...(key && { "idempotency-key": key }),
        };
        call.info.requestId = headers["x-request-id"];
        notify("onStart", call.info);
        return runAttempts(context, call, headers, prepare(call), signal);
      },
      (outcome) => notify("onEnd", call.info, outcome),
    );
  };
}
