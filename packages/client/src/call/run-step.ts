import type { Clock } from "../clock.js";
import { type CallRef, createError, isError } from "../error/create-error.js";
import { causeOf } from "../error/error-cause.js";
import type { PlatformError } from "../error/platform-error.js";
import type { Outcome } from "./hooks.js";

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
    const text = "Not sent: a header or the request is not valid.";
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
