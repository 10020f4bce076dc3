import { createError, isError } from "../error/create-error.js";
import { causeOf } from "../error/error-cause.js";
import type { Outcome } from "./hooks.js";
import { type Deadline, withDeadline } from "./with-deadline.js";

/** A step of a call, and what to do when it ends. */
interface Step<Result> extends Deadline {
  readonly run: (signal: AbortSignal) => Promise<Result>;
  readonly ended: (outcome: Outcome, result?: Result) => void;
}

/** Runs a step under its deadline and reports its end. Rejects only with a `PlatformError`. */
export async function runStep<Result>({ run, ended, ...deadline }: Step<Result>): Promise<Result> {
  const { call, clock } = deadline;
  const startedAt = clock.now();
  const durationMs = () => clock.now() - startedAt;
  try {
    const result = await withDeadline(deadline, run);
    ended({ durationMs: durationMs(), error: undefined }, result);
    return result;
  } catch (thrown) {
    // Sending and reading report their own errors: what else may fail is what the caller passed.
    const error = isError(thrown)
      ? thrown
      : createError(call, {
          ...{ reason: "INVALID_FIELD", code: "invalid_argument", cause: causeOf(thrown) },
          text: "Not sent: headers, userAgent or idempotencyKey are not valid in HTTP, or the request is not JSON.",
        });
    ended({ durationMs: durationMs(), error });
    throw error;
  }
}
