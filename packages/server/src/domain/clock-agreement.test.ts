import { describe, expect, it } from "vitest";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { storedRecords } from "../testing/stored-records.js";
import {
  agreementPeriod,
  type ClockRecord,
  clockReadings,
  decideCompareClock,
  decideReadClock,
  decideTrustClock,
  largestTrustedStep,
} from "./clock-agreement.js";
import type { Write } from "./model/decision.js";

const start = Date.UTC(2026, 0, 1);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Creates simulated clocks. Each reading is compared with the stored one before it. */
function machine() {
  let stored: readonly Write[] = [];
  let wall = start;
  let monotonic = 0;
  let runId = "run-1";
  const read = () => {
    const { outcome, writes } = decideReadClock(storedRecords(...stored), { runId, wall, monotonic });
    stored = writes;
    return outcome;
  };
  read();
  return {
    read,
    /** Advances both clocks by `ms`, then steps the wall clock by `step`. */
    pass(ms: number, step = 0) {
      wall += ms + step;
      monotonic += ms;
      return read();
    },
    restart(downMs: number, id = "run-2") {
      runId = id;
      wall += downMs;
      monotonic = 17;
      return read();
    },
    trust() {
      const { writes } = decideTrustClock(storedRecords(...stored), { runId, wall, monotonic }, actor);
      stored = writes;
      return writes;
    },
  };
}

describe("DECISIONS section 3: shredding requires the wall clock and a stored reading to agree", () => {
  it("trusts the first reading", () => {
    expect(decideReadClock(storedRecords(), { runId: "run-1", wall: start, monotonic: 5 }).outcome).toEqual({
      trusted: true,
      now: start,
      lastRunAt: undefined,
    });
  });

  it.each([
    { name: "an hour forward", step: largestTrustedStep, trusted: true },
    { name: "more than an hour forward", step: largestTrustedStep + 1, trusted: false },
    { name: "31 days forward", step: 31 * day, trusted: false },
    { name: "an hour back", step: -largestTrustedStep, trusted: true },
    { name: "more than an hour back", step: -largestTrustedStep - 1, trusted: false },
  ])("a step of $name within a run is trusted: $trusted", ({ step, trusted }) => {
    expect(machine().pass(10 * second, step).trusted).toBe(trusted);
  });

  it("adds up small steps within a run", () => {
    const { pass } = machine();
    expect(pass(10 * second, 40 * minute).trusted).toBe(true);
    expect(pass(10 * second, 40 * minute).trusted).toBe(false);
  });

  it.each([
    { downMs: hour, trusted: true },
    { downMs: hour + 1, trusted: false },
    { downMs: -hour - 1, trusted: false },
    { downMs: 31 * day, trusted: false },
  ])("a start $downMs ms after the last run is trusted: $trusted", ({ downMs, trusted }) => {
    const { restart } = machine();
    expect(restart(downMs)).toEqual({ trusted, now: start + downMs, lastRunAt: start });
  });

  it("returns the end of the last run only until this run has stored a reading", () => {
    const { pass, restart } = machine();
    expect(restart(minute).lastRunAt).toBe(start);
    expect(pass(minute).lastRunAt).toBeUndefined();
  });

  it("does not compare the monotonic clocks of two runs", () => {
    const { pass, restart } = machine();
    pass(30 * day);
    expect(restart(minute).trusted).toBe(true);
    expect(restart(minute, "run-3").trusted).toBe(true);
  });

  it("trusts the wall clock again once the clocks have agreed for a day; every further step restarts the day", () => {
    const { pass } = machine();
    pass(0, 31 * day);
    expect(pass(agreementPeriod - minute).trusted).toBe(false);
    expect(pass(0, 2 * minute).trusted).toBe(false);
    expect(pass(agreementPeriod - 1).trusted).toBe(false);
    expect(pass(1).trusted).toBe(true);
    expect(pass(10 * second).trusted).toBe(true);
    expect(pass(10 * second, hour + 1).trusted).toBe(false);
  });

  it("continues the day of agreement after a downtime of up to an hour, and restarts it after a longer one", () => {
    const { pass, restart } = machine();
    pass(0, -2 * hour);
    pass(agreementPeriod - minute);
    expect(restart(minute).trusted).toBe(false);
    expect(pass(minute).trusted).toBe(true);
    pass(0, 2 * hour);
    pass(agreementPeriod - minute);
    restart(2 * hour, "run-3");
    expect(pass(minute).trusted).toBe(false);
  });

  it("trusts the wall clock at once when an operator says so, and audits it", () => {
    const { pass, trust } = machine();
    expect(pass(0, 31 * day).trusted).toBe(false);
    expect(trust()).toContainEqual(
      expect.objectContaining({
        kind: "audit",
        record: expect.objectContaining({ subject: "clock", event: "trusted" }),
      }),
    );
    expect(pass(10 * second).trusted).toBe(true);
  });
});

describe("a process that compares its clock with the readings of another one", () => {
  const record: ClockRecord = { runId: "run-1", wall: start, monotonic: 0, trustedAt: start, agreedMs: undefined };
  it.each([
    ["trusts a wall clock that differs by an hour", record, start + hour, true],
    ["does not trust one that is further ahead", record, start + hour + 1, false],
    ["does not trust one that is further behind", record, start - hour - 1, false],
    ["does not trust its clock while the other one is not trusted", { ...record, agreedMs: day - 1 }, start, false],
    ["trusts the first reading", undefined, start, true],
  ])("%s, and writes nothing", (_, stored, wall, trusted) => {
    const records = stored === undefined ? storedRecords() : storedRecords(clockReadings.create(stored, 0));
    const { outcome, writes } = decideCompareClock(records, { runId: "run-2", wall, monotonic: 5 });
    expect(outcome).toEqual({ trusted, now: wall, lastRunAt: stored?.wall });
    expect(writes).toEqual([]);
  });
});
