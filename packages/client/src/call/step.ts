import { type CallRef, causeOf, createError, isError, lackedBy } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { Clock } from "../options/clock.js";
import type { Outcome } from "../options/hooks.js";

/** Runs a step of a call and reports its end. Rejects only with a `PlatformError`. */
export async function runStep<Result>(
  call: CallRef,
  clock: Clock,
  step: () => Promise<Result>,
  ended: (outcome: Outcome) => void,
): Promise<Result> {
  const startedAt = clock.now();
  let error: PlatformError | undefined;
  try {
    return await step();
  } catch (thrown) {
    // Sending and reading throw a PlatformError. Anything else comes from the caller's values, which the message must not repeat.
    const text = lackedBy(thrown) ?? "Not sent: a header or the request is not valid.";
    error = isError(thrown)
      ? thrown
      : createError(call, "INVALID_FIELD", "invalid_argument", text, { cause: causeOf(thrown) });
    // The error may come from a timer or a socket. Here, the stack contains the functions that await the call, up to the caller's
    // line. A stack for every call would cost more than anything else in it. Some browsers do not have captureStackTrace.
    Error.captureStackTrace?.(error);
    throw error;
  } finally {
    ended({ durationMs: clock.now() - startedAt, error });
  }
}

export interface Deadline {
  readonly call: CallRef;
  readonly clock: Clock;
  readonly ms: number;
  /** The option that sets the limit, with its value, for messages. Default: `timeoutMs`, with `ms`. */
  readonly limit?: string;
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

export function canceled(call: CallRef, signal: AbortSignal | undefined): PlatformError {
  const text = `The signal was aborted. ${effectOf(call)}`;
  return createError(call, "CANCELED", "canceled", text, { cause: signal?.reason });
}

function effectOf({ sent }: CallRef): string {
  return sent === false ? "Not sent." : "The call may have taken effect.";
}
