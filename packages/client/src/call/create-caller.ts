import { rejectInvalid } from "../error/create-error.js";
import { createRedactor } from "../error/redactor.js";
import { callRules, invalidOptions, keyedCallRules } from "../options/option-rules.js";
import { runAttempts } from "./attempts.js";
import type { Call, Caller } from "./call.js";
import type { ClientContext } from "./client-context.js";
import { newId } from "./new-id.js";
import { canceled, runStep } from "./step.js";

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
