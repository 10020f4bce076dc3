import type { Clock } from "../clock.js";
import { type CallRef, createError } from "../error/create-error.js";

/** The limits of one step of a call. */
export interface Deadline {
  readonly call: CallRef;
  readonly clock: Clock;
  readonly ms: number;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** For an attempt: the signal of the call, aborted with its error. */
  readonly parent?: AbortSignal;
}

/**
 * Runs one step of a call under its own deadline and returns its result. Rejects with `DEADLINE_EXCEEDED` when the deadline passes
 * and with `CANCELED` when the caller aborts, even if the step ignores its signal. Does not start a step that is already aborted.
 */
export function withDeadline<Result>(
  { call, clock, ms, signal, parent }: Deadline,
  step: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const outer = signal ?? parent;
  return new Promise<Result>((resolve, reject) => {
    const end = () => {
      cancelTimer();
      outer?.removeEventListener("abort", cancel);
    };
    const fail = (error: unknown) => {
      end();
      // Inner steps first, so that hooks see their end before the end of this step.
      controller.abort(error);
      reject(error);
    };
    const expire = () => {
      const limit = parent ? "retry.attemptTimeoutMs" : "timeoutMs";
      const awaited = call.token ? call.host : "the token provider";
      const text = `No response from ${awaited} within ${limit} (${ms} ms). The call may have taken effect. Allow more time.`;
      fail(createError(call, "DEADLINE_EXCEEDED", "deadline_exceeded", text));
    };
    const cancel = () => {
      const text = "The signal was aborted. The call may have taken effect.";
      fail(parent?.reason ?? createError(call, "CANCELED", "canceled", text, { cause: signal?.reason }));
    };
    const cancelTimer = clock.after(ms, expire);
    outer?.addEventListener("abort", cancel);
    if (outer?.aborted) cancel();
    else
      step(controller.signal).then((result) => {
        end();
        resolve(result);
      }, fail);
  });
}
