import { createError, isError } from "../error/create-error.js";
import { causeOf } from "../error/error-cause.js";
import type { PlatformError } from "../error/platform-error.js";
import type { Outcome } from "./hooks.js";
import { type Deadline, withDeadline } from "./with-deadline.js";

/** Runs a step under its deadline and reports its end. Rejects only with a `PlatformError`. */
export async function runStep<Result>(
  deadline: Deadline,
  step: (signal: AbortSignal) => Promise<Result>,
  ended: (outcome: Outcome) => void,
): Promise<Result> {
  const { call, clock } = deadline;
  const startedAt = clock.now();
  let error: PlatformError | undefined;
  try {
    return await withDeadline(deadline, step);
  } catch (thrown) {
    // Sending and reading throw a PlatformError. Anything else comes from the caller's values, which the message must not repeat.
    const text = "Not sent: a header or the request is not valid.";
    error = isError(thrown)
      ? thrown
      : createError(call, "INVALID_FIELD", "invalid_argument", text, { cause: causeOf(thrown) });
    throw error;
  } finally {
    ended({ durationMs: clock.now() - startedAt, error });
  }
}
