/** A time that passes only while nobody holds it. */
export interface Countdown {
  readonly run: () => void;
  readonly hold: () => void;
}

/** Creates a countdown, which does not run yet. @param onEnd is called once, after it has run for `ms` milliseconds */
export function createCountdown(ms: number, onEnd: () => void): Countdown {
  let left = ms;
  let running: { readonly since: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  return {
    run() {
      running ??= { since: performance.now(), timer: setTimeout(onEnd, left) };
    },
    hold() {
      if (running === undefined) return;
      clearTimeout(running.timer);
      left -= performance.now() - running.since;
      running = undefined;
    },
  };
}
