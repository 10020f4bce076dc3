import { errorFields } from "@platform-rpc/front/errors";
import { type Logger, type PlatformJob, StorageError } from "@platform-rpc/server";

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Runs once. A long run works in batches, and returns before the next batch once `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

export interface JobRun {
  readonly name: string;
  readonly succeeded: boolean;
  readonly durationMs: number;
}

/** Thrown by a job when the process must end because it can no longer respond correctly. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/**
 * Runs each job at once and then every `everyMs` milliseconds. A failed run is logged; the job runs again at its next
 * interval. A job that is still running is not started again. Jobs do not keep the process alive.
 */
export function startJobs(
  jobs: readonly Job[],
  {
    logger,
    onFatal,
    onRun = () => {},
  }: {
    readonly logger: Logger;
    readonly onFatal: (error: FatalError) => void;
    /** Called when a run has ended, for metrics. */
    readonly onRun?: (run: JobRun) => void;
  },
): {
  /** Stops the schedule, aborts the signal of running jobs, and resolves when they have ended. */ stop(): Promise<void>;
} {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  const begin = ({ name, run }: Job): void => {
    if (running.has(name)) return;
    const startedAt = performance.now();
    const turn = run(stopping.signal)
      .then(
        () => true,
        (thrown) => {
          // There is nothing for it to do in this cell, at least for now.
          if (thrown instanceof StorageError && thrown.refusesTenant) return true;
          logger.error({ job: name, ...errorFields(thrown) }, "job failed");
          if (thrown instanceof FatalError) onFatal(thrown);
          return false;
        },
      )
      .then((succeeded) => onRun({ name, succeeded, durationMs: performance.now() - startedAt }))
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

/** Runs a job once more, before the storage is closed. A failure is logged: it must not keep the process from ending. */
export async function runAtEnd({ name, run }: Pick<PlatformJob, "name" | "run">, logger: Logger): Promise<void> {
  await run().catch((thrown) => logger.error({ job: name, ...errorFields(thrown) }, "job failed"));
}
