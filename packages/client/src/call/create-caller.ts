import { invalidOptions } from "@platform-rpc/options";
import { isError, rejectInvalid } from "../error/create-error.js";
import type { FieldViolation, PlatformError } from "../error/platform-error.js";
import { createRedactor } from "../error/redactor.js";
import { callRules, keyedCallRules } from "../options/option-rules.js";
import { protoName } from "../wire/read-json.js";
import type { Answered, Call, Caller, HeaderRecord, Send } from "./call.js";
import type { ClientContext } from "./client-context.js";
import { newId } from "./new-id.js";
import { canceled, runStep, withDeadline } from "./step.js";

/** The server's limit for one call. */
const longestAttemptMs = 30_000;

export function createCaller(context: ClientContext): Caller {
  const { baseUrl, clock, host, notify } = context;
  return ({ path, retrySafety, required, secrets: secretFields }, request, prepare, given) => {
    const takesKey = retrySafety === "with_key";
    // Programs in JavaScript may pass null. Most calls have no options to check.
    const invalid =
      (given ?? undefined) === undefined ? [] : invalidOptions(given, takesKey ? keyedCallRules : callRules);
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
        rejectInvalid(call, [...invalid, ...missing.map((field) => requiredField(field, fields))]);
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

/** The violation for a field that is missing, or that has the name of the proto. */
function requiredField(field: string, given: Readonly<Record<string, unknown>>): FieldViolation {
  const name = protoName(field);
  return { field, description: given[name] === undefined ? "is required" : `is required. Rename ${name}` };
}

/** A timer may fire this much before its time, by the clock. */
const timerToleranceMs = 1;

/**
 * Makes attempts until one succeeds, one fails with an error that is not retried, or the deadline of the call passes. This
 * deadline, and the caller's signal, also end the attempt or the wait that is in progress.
 */
async function runAttempts<Answer extends object>(
  { clock, notify, tokens, retries }: ClientContext,
  call: Call,
  common: HeaderRecord,
  send: Send<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answered<Answer>> {
  const { endsAt, timeoutMs, attemptTimeoutMs } = call;
  let attempt = 1;
  let rejected: { readonly token: string; readonly error: PlatformError } | undefined;

  function runAttempt(): Promise<Answered<Answer>> {
    const leftMs = endsAt - clock.now();
    const ms = Math.ceil(Math.min(leftMs, attemptTimeoutMs));
    const limit = ms < leftMs ? `retry.attemptTimeoutMs (${ms} ms)` : `timeoutMs (${timeoutMs} ms)`;
    call.token = undefined;
    return withDeadline({ call, clock, ms, limit, signal }, async (signal) => {
      const token = await tokens.get(call);
      // The token may have come too late.
      signal.throwIfAborted();
      if (token === rejected?.token) throw rejected.error;
      call.token = token;
      call.secrets.push(token);
      const added = new Headers();
      notify("onRequest", call.info, { attempt, headers: added });
      const own = { authorization: `Bearer ${token}`, "connect-timeout-ms": `${ms}` };
      call.sent = true;
      return send({ ...Object.fromEntries(added), ...common, ...own }, signal, ms);
    });
  }

  for (;;) {
    try {
      const answer = await runStep(call, clock, runAttempt, (outcome) => {
        notify("onResponse", call.info, { status: undefined, headers: {}, ...call.response, ...outcome, attempt });
        call.response = undefined;
      });
      tokens.accept();
      retries.succeeded();
      return answer;
    } catch (error) {
      const leftMs = endsAt - clock.now();
      // False for NaN, which leaves no time.
      const hasTime = leftMs > timerToleranceMs;
      if (!isError(error) || !hasTime) throw error;
      const { token } = call;
      if (error.code === "unauthenticated" && token && !rejected) {
        // A token is rejected before the call takes effect, so the attempt is safe to repeat with another token.
        rejected = { token, error };
        tokens.reject(token);
      } else {
        const delayMs = retries.delayAfter(error, attempt, call.maxAttempts);
        if (delayMs === undefined || delayMs >= leftMs) throw error;
        notify("onRetry", call.info, { attempt, delayMs, error });
        if (delayMs > 0)
          await withDeadline({ call, clock, ms: leftMs, signal }, (signal) => clock.sleep(delayMs, signal));
        attempt += 1;
      }
      // A wait may take longer than planned.
      if (clock.now() >= endsAt) throw error;
    }
  }
}
