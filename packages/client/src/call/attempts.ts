import { isError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { ClientContext } from "../options/client-context.js";
import type { Call, HeaderRecord, Send } from "./call.js";
import type { Answered } from "./response.js";
import { runStep } from "./run-step.js";

/** Makes attempts until one succeeds, one fails with an error that is not retried, or the deadline of the call passes. */
export async function runAttempts<Answer extends object>(
  { clock, notify, tokens, retries }: ClientContext,
  call: Call,
  common: HeaderRecord,
  send: Send<Answer>,
  parent: AbortSignal,
): Promise<Answered<Answer>> {
  const { endsAt, attemptTimeoutMs: ms } = call;
  let attempt = 1;
  let rejected: { readonly token: string; readonly error: PlatformError } | undefined;

  /** Gets a token, sends the request and reads the response. */
  async function runAttempt(signal: AbortSignal): Promise<Answered<Answer>> {
    call.token = undefined;
    const leftMs = Math.ceil(Math.min(endsAt - clock.now(), ms));
    const token = await tokens.get(call);
    // The token may have come too late.
    signal.throwIfAborted();
    if (token === rejected?.token) throw rejected.error;
    call.token = token;
    call.secrets.push(token);
    const added = new Headers();
    notify("onRequest", call.info, { attempt, headers: added });
    const own = { authorization: `Bearer ${token}`, "connect-timeout-ms": `${leftMs}` };
    return send({ ...Object.fromEntries(added), ...common, ...own }, signal, leftMs);
  }

  for (;;) {
    try {
      // The deadline of the whole call is enforced by the step around this one.
      const answer = await runStep({ call, clock, ms, parent }, runAttempt, (outcome) => {
        notify("onResponse", call.info, { status: undefined, headers: {}, ...call.response, ...outcome, attempt });
        call.response = undefined;
      });
      tokens.accept();
      retries.succeeded();
      return answer;
    } catch (error) {
      if (!isError(error) || parent.aborted) throw error;
      const { token } = call;
      if (error.code === "unauthenticated" && token && !rejected) {
        // A token is rejected before the call takes effect, so the attempt is safe to repeat with another token.
        rejected = { token, error };
        tokens.reject(token);
      } else {
        const delayMs = retries.delayAfter(error, attempt, call.maxAttempts);
        if (delayMs === undefined || clock.now() + delayMs >= endsAt) throw error;
        notify("onRetry", call.info, { attempt, delayMs, error });
        if (delayMs > 0) await clock.sleep(delayMs, parent);
        attempt += 1;
      }
      // A wait may take longer than planned.
      if (clock.now() >= endsAt) throw error;
    }
  }
}
