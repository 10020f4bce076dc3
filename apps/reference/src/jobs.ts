import type { Logger } from "@platform-rpc/server";
import { errorFields } from "./error-fields.js";

/** Something that the process does again and again. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Does one turn. A long turn works in batches and returns before the next batch once `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/** Thrown by a job when the process must not go on: its answers can no longer be correct. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/**
 * Runs each job at once and then every `everyMs`. A job that fails is logged and tried again at its next turn; a job that
 * is still running is not started twice. Jobs do not keep the process alive.
 */
export function startJobs(
  jobs: readonly Job[],
  { logger, onFatal }: { readonly logger: Logger; readonly onFatal: (error: FatalError) => void },
): {
  /** Starts no further turn, aborts the signal of those that run, and resolves when none runs. */ stop(): Promise<void>;
} {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  const begin = ({ name, run }: Job): void => {
    if (running.has(name)) return;
    const turn = run(stopping.signal)
      .then(
        () => undefined,
        (thrown) => {
          logger.error({ job: name, ...errorFields(thrown) }, "job failed");
          if (thrown instanceof FatalError) onFatal(thrown);
        },
      )
      .finally(() => running.delete(name));
    running.set(name, turn);
  };

  const timers = jobs.map((job) => {
    begin(job);
    return setInterval(() => begin(job), job.everyMs).unref();
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}
