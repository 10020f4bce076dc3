import { isError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { Answered, Call, HeaderRecord, Send } from "./call.js";
import type { ClientContext } from "./client-context.js";
import { runStep, withDeadline } from "./step.js";

/** A timer may fire this much before its time, by the clock. */
const timerToleranceMs = 1;

/**
 * Makes attempts until one succeeds, one fails with an error that is not retried, or the deadline of the call passes. This
 * deadline, and the caller's signal, also end the attempt or the wait that is in progress.
 */
export async function runAttempts<Answer extends object>(
  { clock, notify, tokens, retries }: ClientContext,
  call: Call,
  common: HeaderRecord,
  send: Send<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answered<Answer>> {
  const { endsAt, timeoutMs, attemptTimeoutMs } = call;
  let attempt = 1;
  let rejected: { readonly token: string; readonly error: PlatformError } | undefined;

  /** Gets a token, sends the request and reads the response. */
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
