import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { defineCollection, installation } from "./model/collection.js";
import { type Decision, unchanged } from "./model/decision.js";
import type { Records } from "./model/record.js";
import { number, object, optional, text } from "./model/schema.js";
import { defineRule } from "./rule.js";

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** The largest difference between the clocks at which the time is trusted, in milliseconds. */
export const largestTrustedStep = hour;

/** How long the clocks must agree until the time is trusted again, in milliseconds. */
export const agreementPeriod = day;

/** The largest drift between two readings that counts as agreement, in milliseconds: NTP corrections and pauses cause some. */
const agreementTolerance = minute;

export interface ClockReading {
  /** Identifies the run of the process. The monotonic clocks of two runs cannot be compared. */
  readonly runId: string;
  /** The wall clock, in milliseconds since the epoch. */
  readonly wall: number;
  /** The monotonic clock, in milliseconds. */
  readonly monotonic: number;
}

/** The last reading as stored, and whether it is trusted. */
export interface ClockRecord extends ClockReading {
  /** The wall time that is consistent with the monotonic clock. */
  readonly trustedAt: number;
  /** How long the clocks have agreed since the last step, in milliseconds. Undefined while the time is trusted. */
  readonly agreedMs: number | undefined;
}

/** The reading of the clocks that was stored last: there is at most one. */
export const clockReadings = defineCollection<ClockRecord>("clock", {
  schema: object({ runId: text, wall: number, monotonic: number, trustedAt: number, agreedMs: optional(number) }),
  keyOf: () => ({ tenantId: installation, key: installation }),
});

export const lastReading = clockReadings.key(installation, installation);

const findLast = (records: Records) => clockReadings.read(records.find(lastReading));

/** Whether work that cannot be undone may rely on a reading. */
export interface ClockAgreement {
  readonly trusted: boolean;
  /** The wall clock of the reading, in milliseconds since the epoch. */
  readonly now: number;
  /** The wall clock of the last reading of another run. Undefined if this run has stored one since. */
  readonly lastRunAt: number | undefined;
}

export const readClock = defineRule(decideReadClock);

/**
 * Compares a reading with the stored one. If the wall clock and the monotonic clock have moved apart by more than an hour, the
 * wall clock is not trusted until both have agreed for a day. At the start of a run, the wall clock is compared with the end of
 * the last run instead. Small steps within one run add up.
 */
export function decideReadClock(records: Records, reading: ClockReading): Decision<ClockAgreement> {
  const record = findLast(records);
  const sameRun = record?.runId === reading.runId;
  const elapsed = sameRun ? reading.monotonic - record.monotonic : 0;
  const expected = record === undefined ? reading.wall : record.trustedAt + elapsed;
  const agreedMs = agreedAfter(record, reading, elapsed, expected);
  // A start within an hour of the last run trusts the wall clock. Within a run, drift is measured from the trusted time.
  const trustedAt = sameRun && agreedMs === undefined && record.agreedMs === undefined ? expected : reading.wall;
  return {
    outcome: {
      trusted: agreedMs === undefined,
      now: reading.wall,
      lastRunAt: sameRun ? undefined : record?.wall,
    },
    writes: [clockReadings.put(records, { ...reading, trustedAt, agreedMs }, reading.wall)],
  };
}

function agreedAfter(
  record: ClockRecord | undefined,
  { runId, wall }: ClockReading,
  elapsed: number,
  expected: number,
): number | undefined {
  if (record?.agreedMs === undefined) return Math.abs(wall - expected) > largestTrustedStep ? 0 : undefined;
  const step = Math.abs(wall - (record.wall + elapsed));
  if (step > (record.runId === runId ? agreementTolerance : largestTrustedStep)) return 0;
  const agreedMs = record.agreedMs + elapsed;
  return agreedMs >= agreementPeriod ? undefined : agreedMs;
}

export const compareClock = defineRule(decideCompareClock);

/**
 * Compares a reading with the one that another process has stored, and changes nothing: one of several processes stores its readings.
 * The time is trusted if it is trusted there, and the two wall clocks differ by an hour at most; also before the first reading.
 */
export function decideCompareClock(records: Records, { wall }: ClockReading): Decision<ClockAgreement> {
  const record = findLast(records);
  const trusted =
    record === undefined || (record.agreedMs === undefined && Math.abs(wall - record.wall) <= largestTrustedStep);
  return unchanged({ trusted, now: wall, lastRunAt: record?.wall });
}

export const trustClock = defineRule(decideTrustClock);

/** Trusts the wall clock from this reading on. Call it when an operator has checked the clock. */
export function decideTrustClock(records: Records, reading: ClockReading, actor: Actor): Decision<undefined> {
  return {
    outcome: undefined,
    writes: [
      clockReadings.put(records, { ...reading, trustedAt: reading.wall, agreedMs: undefined }, reading.wall),
      audit(actor, reading.wall, { subjectTenantId: actor.tenantId, subject: "clock", event: "trusted" }),
    ],
  };
}
