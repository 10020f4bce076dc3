import type { JobRun } from "../process/jobs.js";

export interface JobFigures {
  readonly job: string;
  succeeded: number;
  failed: number;
  seconds: number;
  /** Seconds since the epoch. 0 if no run has succeeded. */
  succeededAt: number;
}

export function createJobFigures() {
  const jobs = new Map<string, JobFigures>();
  return {
    record({ name, succeeded, durationMs }: JobRun): void {
      const known = jobs.get(name) ?? { job: name, succeeded: 0, failed: 0, seconds: 0, succeededAt: 0 };
      jobs.set(name, known);
      known.seconds += durationMs / 1000;
      if (succeeded) {
        known.succeeded += 1;
        known.succeededAt = Date.now() / 1000;
      } else known.failed += 1;
    },
    read: (): readonly JobFigures[] => [...jobs.values()],
  };
}
