import { isError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { ClientContext } from "../options/client-context.js";
import { runAttempt } from "./attempt.js";
import type { Answered, Call, Send } from "./call.js";
import { notify } from "./hooks.js";
import type { AttemptLimits } from "./retry.js";

/** What all attempts of a call share. */
export interface AttemptInput<Answer> {
  readonly call: Call;
  readonly headers: Headers;
  readonly send: Send<Answer>;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  readonly limits: AttemptLimits;
}

/** What an attempt knows of the one before it. */
export interface AttemptState {
  attempt: number;
  /** The token that the attempt sent; undefined before it is sent. */
  token: string | undefined;
  /** The token that the server rejected, and how. */
  rejected?: { readonly token: string; readonly error: PlatformError };
}

/** Makes attempts until one succeeds, the error is final, or the time of the call is up. */
export async function runAttempts<Answer extends object>(
  context: ClientContext,
  input: AttemptInput<Answer>,
): Promise<Answered<Answer>> {
  const { clock, hooks, tokens, retries } = context;
  const { call, endsAt, limits, signal } = input;
  const state: AttemptState = { attempt: 1, token: undefined };
  for (;;) {
    try {
      const answer = await runAttempt(context, input, state);
      tokens.accept();
      retries.succeeded();
      return answer;
    } catch (error) {
      if (!isError(error) || signal.aborted) throw error;
      const { attempt, token } = state;
      if (error.code === "unauthenticated" && token !== undefined && !state.rejected) {
        // A server or gateway rejects a token before it does anything: the attempt is safe to repeat with another.
        state.rejected = { token, error };
        tokens.reject(token);
      } else {
        const delayMs = retries.delayAfter(error, attempt, limits.maxAttempts);
        if (delayMs === undefined || clock.now() + delayMs >= endsAt) throw error;
        notify(hooks, (one) => one.onRetry?.(call.info, { attempt, delayMs, error }));
        if (delayMs > 0) await clock.sleep(delayMs, signal);
        state.attempt += 1;
      }
      // A wait may take longer than asked.
      if (clock.now() >= endsAt) throw error;
    }
  }
}
