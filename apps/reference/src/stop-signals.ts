/** Signals that ask a process to stop: of Ctrl+C, of a supervisor, and of a terminal that closes. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Signals that arrive within this time are one: a terminal signals the whole group, and a package manager again. */
const oneSignalMs = 2_000;

/** Where signals come from: the process. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/**
 * Calls `stop` at the first stop signal, and `endNow` at any that arrives 2 s later or more, for an operator who does not
 * want to wait.
 */
export function onStopSignals(
  source: SignalSource,
  actions: { stop(signal: NodeJS.Signals): void; endNow(): void },
  now: () => number = () => performance.now(),
): void {
  let firstAt: number | undefined;
  for (const each of stopSignals) {
    source.on(each, (signal) => {
      if (firstAt === undefined) {
        firstAt = now();
        actions.stop(signal);
      } else if (now() - firstAt >= oneSignalMs) actions.endNow();
    });
  }
}
