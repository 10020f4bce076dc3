import type { Clock } from "./clock.js";

/** The time that a call has, and the wish of its caller to go on. */
export interface Deadline {
  /** Aborted when the time is up, or the caller has aborted. */
  readonly signal: AbortSignal;
  /** Why the signal is aborted; undefined while it is not. */
  over(): "DEADLINE_EXCEEDED" | "CANCELED" | undefined;
  /** Whole milliseconds that are left, at least 1. */
  left(): number;
  /**
   * Settles as `work` does, or rejects once the signal is aborted: also when the work ignores the signal. Does not begin
   * it when the signal is aborted already.
   */
  race<T>(work: () => Promise<T>): Promise<T>;
  /** Lets go of the timer and of the caller's signal. */
  end(): void;
}

/** Starts the clock of a call. `timeoutMs` is a whole number, 1 or more. */
export function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined, clock: Clock): Deadline {
  const controller = new AbortController();
  const endsAt = clock.now() + timeoutMs;
  let over: "DEADLINE_EXCEEDED" | "CANCELED" | undefined;
  const stop = (why: "DEADLINE_EXCEEDED" | "CANCELED") => {
    over ??= why;
    controller.abort();
  };
  const cancel = () => stop("CANCELED");
  const stopTimer = clock.after(timeoutMs, () => stop("DEADLINE_EXCEEDED"));
  callerSignal?.addEventListener("abort", cancel, { once: true });
  if (callerSignal?.aborted === true) cancel();
  const aborted = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Error("the call is over"));
    if (controller.signal.aborted) refuse();
    else controller.signal.addEventListener("abort", refuse, { once: true });
  });
  // Nobody may be racing when it is aborted.
  aborted.catch(() => undefined);

  return {
    signal: controller.signal,
    over: () => over,
    // A wall clock may jump: never more than there was.
    left: () => Math.min(timeoutMs, Math.max(1, Math.ceil(endsAt - clock.now()))),
    race: (work) => (controller.signal.aborted ? aborted : Promise.race([aborted, work()])),
    end() {
      stopTimer();
      callerSignal?.removeEventListener("abort", cancel);
    },
  };
}
