/** Creates a countdown, whose time passes only while it runs. It does not run yet. @param onEnd is called once, after `ms` milliseconds */
export function createCountdown(ms: number, onEnd: () => void) {
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
