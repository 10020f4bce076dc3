import type { Clock } from "./clock.js";

/** The time that a call, or an attempt, has, and the wish of its caller to go on. */
export interface Deadline {
  /** Aborted when the time is up, or the caller has aborted. */
  readonly signal: AbortSignal;
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

const timeIsUp = new Error("the time is up");

/** Why a signal of a deadline is aborted; undefined while it is not. */
export function whyOver({ aborted, reason }: AbortSignal): "DEADLINE_EXCEEDED" | "CANCELED" | undefined {
  if (!aborted) return undefined;
  return reason === timeIsUp ? "DEADLINE_EXCEEDED" : "CANCELED";
}

/** Starts the clock. `timeoutMs` is a whole number, 1 or more; `parent` ends it too, for its own reason. */
export function startDeadline(timeoutMs: number, parent: AbortSignal | undefined, clock: Clock): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const endsAt = clock.now() + timeoutMs;
  const follow = () => controller.abort(parent?.reason);
  const stopTimer = clock.after(timeoutMs, () => controller.abort(timeIsUp));
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  // Nobody may be racing when it is aborted.
  aborted.catch(() => undefined);
  parent?.addEventListener("abort", follow);
  if (parent?.aborted) follow();

  return {
    signal,
    // A wall clock may jump: never more than there was.
    left: () => Math.min(timeoutMs, Math.max(1, Math.ceil(endsAt - clock.now()))),
    race: (work) => (signal.aborted ? aborted : Promise.race([aborted, work()])),
    end() {
      stopTimer();
      parent?.removeEventListener("abort", follow);
    },
  };
}
