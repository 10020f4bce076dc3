import type { Logger } from "@platform/server";
import { errorFields } from "./error-fields.js";

/** Something that the process does again and again. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/**
 * Runs each job at once, and then again and again. A job that fails is logged and tried again at its next turn; one that
 * is still running is not begun twice. Jobs do not keep the process alive.
 */
export function startJobs(
  jobs: readonly Job[],
  logger: Logger,
): { /** Resolves when none runs. */ stop(): Promise<void> } {
  const running = new Map<string, Promise<void>>();

  const begin = ({ name, run }: Job): void => {
    if (running.has(name)) return;
    const turn = run()
      .then(
        () => undefined,
        (thrown) => logger.error({ job: name, ...errorFields(thrown) }, "job failed"),
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
      await Promise.all(running.values());
    },
  };
}
