import type { Clock } from "./clock.js";
import { type Failed, failure } from "./failure.js";

/**
 * Does work in a time of its own: settles as the work does, or rejects with `DEADLINE_EXCEEDED` once the time is up, with
 * `CANCELED` once `parent` is aborted: also when the work ignores its signal. Does not begin it when `parent` is aborted
 * already.
 */
export const within = <T>(
  call: Failed,
  ms: number,
  parent: AbortSignal | undefined,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const { signal } = controller;
  return new Promise<T>((resolve, reject) => {
    const stop = (reason: "CANCELED" | "DEADLINE_EXCEEDED", code: "canceled" | "deadline_exceeded") => {
      const error = failure(call, reason, code);
      // First those within, so that what they tell of their end is told before this end is.
      controller.abort(error);
      reject(error);
    };
    const cancel = () => stop("CANCELED", "canceled");
    signal.addEventListener(
      "abort",
      clock.after(ms, () => stop("DEADLINE_EXCEEDED", "deadline_exceeded")),
    );
    parent?.addEventListener("abort", cancel, { signal });
    if (parent?.aborted) cancel();
    else work(signal).then(resolve, reject);
  }).finally(() => controller.abort());
};
