import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import type { Decision } from "./decision.js";

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** How far the clocks may drift apart before the time is no longer trusted, in milliseconds. */
export const largestTrustedStep = hour;

/** How long the clocks must agree before the time is trusted again, in milliseconds. */
export const agreementPeriod = day;

/** A drift between two readings up to which the clocks still agree: a correction by NTP, a paused virtual machine. */
const agreementTolerance = minute;

/**
 * How far the clocks of two processes may differ, in milliseconds. A time that lies further in the future was written
 * before the clock was set back, and what it would keep open is over.
 */
export const largestClockSkew = 5_000;

/** One reading of the machine's clocks. */
export interface ClockReading {
  /** Identifies the run of the process: monotonic clocks of two runs cannot be compared. */
  readonly runId: string;
  /** The wall clock, in milliseconds since the epoch. */
  readonly wall: number;
  /** The monotonic clock, in milliseconds. */
  readonly monotonic: number;
}

/** The stored witness of time: the last reading, and how far it is trusted. */
export interface ClockRecord extends ClockReading {
  /** The wall time that the monotonic clock vouches for. */
  readonly trustedAt: number;
  /** While the time is not trusted: how long the clocks have agreed since the last step, in milliseconds. */
  readonly agreedMs: number | undefined;
}

/** What a decision about the clock needs to know. */
export interface ClockSnapshot {
  /** Undefined before the first reading. */
  readonly record: ClockRecord | undefined;
}

/** Whether work that cannot be undone may rely on a reading. */
export interface ClockAgreement {
  readonly trusted: boolean;
  /** The wall clock of the reading, in milliseconds since the epoch. */
  readonly now: number;
  /** The wall clock of the previous run's last reading. Undefined unless this reading is the first of its run. */
  readonly lastRunAt: number | undefined;
}

/**
 * Compares a reading with the stored one. A wall clock that has moved more than an hour further, or less far, than the
 * monotonic clock (or than the last run's end, at the start of a run) is not trusted until both have agreed for a day.
 * Small steps within one run add up.
 */
export function decideReadClock({ record }: ClockSnapshot, reading: ClockReading): Decision<ClockAgreement> {
  const sameRun = record?.runId === reading.runId;
  const elapsed = sameRun ? reading.monotonic - record.monotonic : 0;
  const expected = record === undefined ? reading.wall : record.trustedAt + elapsed;
  const agreedMs = agreedAfter(record, reading, elapsed, expected);
  // A start within the hour begins anew; within a run the wall clock must keep up with what it once was trusted for.
  const trustedAt = sameRun && agreedMs === undefined && record.agreedMs === undefined ? expected : reading.wall;
  return {
    outcome: {
      trusted: agreedMs === undefined,
      now: reading.wall,
      lastRunAt: sameRun ? undefined : record?.wall,
    },
    writes: [{ kind: "clock", record: { ...reading, trustedAt, agreedMs } }],
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

/** Trusts the wall clock from this reading on, because an operator has checked it. */
export function decideTrustClock(reading: ClockReading, actor: Actor): Decision<undefined> {
  const record: ClockRecord = { ...reading, trustedAt: reading.wall, agreedMs: undefined };
  return {
    outcome: undefined,
    writes: [
      { kind: "clock", record },
      audit(actor, reading.wall, { subjectTenantId: actor.tenantId, subject: "clock", event: "trusted" }),
    ],
  };
}
