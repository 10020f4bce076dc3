/** The signals that ask a process to stop: from Ctrl+C, a supervisor, or a terminal that closes. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Signals within this time count as one: a terminal signals the process group, and a package manager forwards the signal. */
const oneSignalMs = 2_000;

/** The part of `process` that reports signals. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** Calls `stop` at the first stop signal, and `endNow` at any signal at least 2 s later, for an operator who does not want to wait. */
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
