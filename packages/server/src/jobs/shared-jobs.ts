import type { Clock } from "../ports/clock.js";
import type { Lease } from "../ports/lease.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { ClockWatch } from "./clock-watch.js";
import { createPurgeExpired, purgeableBefore } from "./purge-expired.js";
import { type AuditTrailHead, createSealAudit } from "./seal-audit.js";
import { createShredItems } from "./shred-items.js";

/**
 * Work that the process repeats.
 *
 * @example
 * ```ts
 * import type { PlatformJob } from "@platform-rpc/server";
 *
 * const runOnce = ({ run }: PlatformJob) => run(AbortSignal.timeout(10_000));
 * await Promise.all(platform.jobs.map(runOnce));
 * console.log(platform.jobs.every(({ everyMs }) => everyMs > 0));
 * // true
 * ```
 */
export interface PlatformJob {
  readonly name: string;
  readonly everyMs: number;
  /** Runs once. A long run works in batches, and returns before the next batch once `signal` is aborted. */
  readonly run: (signal?: AbortSignal) => Promise<unknown>;
}

/** How late a job is. */
export interface JobLag {
  /** The name of the job. */
  readonly job: string;
  /** For how long the oldest work of the job has been due, in seconds. 0: no work is due. */
  readonly seconds: number;
}

export interface SharedJobs {
  readonly jobs: readonly PlatformJob[];
  /** Returns how late each job was when it was last measured. Empty before the first measurement. */
  lag(): readonly JobLag[];
}

export interface SharedJobsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly clockWatch: ClockWatch;
  /** The lease of the process that does the work. Default: this process does. */
  readonly lease: Pick<Lease, "hold"> | undefined;
  readonly onAuditSealed: ((head: AuditTrailHead) => void) | undefined;
}

/** How often each process tries to get the lease, in milliseconds. The holder keeps it that way. */
const takeOverMs = 3_000;

/** How often the holder of the lease does the work, in milliseconds. */
const workMs = 60_000;

/**
 * Creates the jobs that one of several processes runs: shredding, purging, and sealing the audit trail. The others would only compete
 * for the same rows. A process begins when it gets the lease, also when it takes it over from one that was killed: processes that are
 * killed more often than once a minute do the work, too. After a failure, it tries again at the next turn.
 *
 * Every process measures how late these jobs are, from what is stored, whichever process runs them.
 */
export function createSharedJobs(options: SharedJobsOptions): SharedJobs {
  const { storage, clock, secrets, clockWatch, lease, onAuditSealed } = options;
  let lag: readonly JobLag[] = [];
  let holding: Promise<boolean> | undefined;

  /** The jobs ask at the same moment: one question is enough. */
  const hold = (held: Pick<Lease, "hold">): Promise<boolean> => {
    holding ??= held.hold().finally(() => {
      holding = undefined;
    });
    return holding;
  };

  const shared = (name: string, work: (signal?: AbortSignal) => Promise<number>): PlatformJob => {
    let dueAt = Number.NEGATIVE_INFINITY;
    return {
      name,
      everyMs: takeOverMs,
      async run(signal) {
        const turnAt = performance.now();
        if (lease !== undefined && !(await hold(lease))) {
          dueAt = Number.NEGATIVE_INFINITY;
          return 0;
        }
        if (turnAt < dueAt) return 0;
        const done = await work(signal);
        dueAt = turnAt + workMs;
        return done;
      },
    };
  };

  const measure = async (): Promise<void> => {
    const now = clock.now();
    const { unsealedSince, shreddableFrom, expiredFrom } = await storage.readBacklog();
    const lagOf = (job: string, due: number | undefined, until = now): JobLag => ({
      job,
      seconds: due === undefined ? 0 : Math.max(0, until - due) / 1000,
    });
    lag = [
      lagOf("shred items", shreddableFrom),
      lagOf("purge", expiredFrom, purgeableBefore(now)),
      lagOf("seal audit trail", unsealedSince),
    ];
  };

  return {
    jobs: [
      shared("shred items", createShredItems({ storage, secrets, clockWatch })),
      shared("purge", createPurgeExpired({ storage, clockWatch })),
      shared("seal audit trail", createSealAudit({ storage, onSealed: onAuditSealed })),
      { name: "measure job lag", everyMs: workMs, run: measure },
    ],
    lag: () => lag,
  };
}
