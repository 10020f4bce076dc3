import type { Clock } from "../clock.js";
import { type CallRef, createError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";

/** The limits of one step of a call. */
export interface Deadline {
  readonly call: CallRef;
  readonly clock: Clock;
  readonly ms: number;
  /** The option that sets the limit, with its value, for messages. Default: `timeoutMs`, with `ms`. */
  readonly limit?: string;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one step of a call under a deadline and returns its result. Rejects with `DEADLINE_EXCEEDED` when the deadline passes and
 * with `CANCELED` when the caller aborts, even if the step ignores its signal. Does not start a step that is already aborted.
 */
export function withDeadline<Result>(
  { call, clock, ms, limit = `timeoutMs (${ms} ms)`, signal }: Deadline,
  step: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  return new Promise<Result>((resolve, reject) => {
    const end = () => {
      cancelTimer();
      signal?.removeEventListener("abort", cancel);
    };
    const fail = (error: unknown) => {
      end();
      controller.abort(error);
      reject(error);
    };
    const expire = () => {
      const awaited = call.token ? call.host : "the token provider";
      const text = `No response from ${awaited} within ${limit}. ${effectOf(call)} Allow more time.`;
      fail(createError(call, "DEADLINE_EXCEEDED", "deadline_exceeded", text));
    };
    const cancel = () => fail(canceled(call, signal));
    // Before the timer: a signal without this method rejects the step.
    signal?.addEventListener("abort", cancel);
    const cancelTimer = clock.after(ms, expire);
    if (signal?.aborted) cancel();
    else
      step(controller.signal).then((result) => {
        end();
        resolve(result);
      }, fail);
  });
}

/** Creates the error of a call that the caller has aborted. */
export function canceled(call: CallRef, signal: AbortSignal | undefined): PlatformError {
  const text = `The signal was aborted. ${effectOf(call)}`;
  return createError(call, "CANCELED", "canceled", text, { cause: signal?.reason });
}

function effectOf({ sent }: CallRef): string {
  return sent === false ? "Not sent." : "The call may have taken effect.";
}
