import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createSteadyClock } from "./clock.js";

const minute = 60_000;
const hour = 60 * minute;

describe("DECISIONS section 5: a step of the clock never extends a short window", () => {
  it("keeps running when the wall clock is set back by an hour or less, and follows it again once it has caught up", () => {
    const machine = fakeClock();
    const steady = createSteadyClock(machine);
    const before = steady.now();
    machine.step(-hour);
    expect(steady.now()).toBe(before);
    machine.advance(15 * minute);
    expect(steady.now()).toBe(before + 15 * minute);
    machine.step(2 * hour);
    expect(steady.now()).toBe(machine.wall());
  });

  it("follows the wall clock back by more than an hour", () => {
    const machine = fakeClock();
    const steady = createSteadyClock(machine);
    machine.step(-hour - 2);
    expect(steady.now()).toBe(machine.wall());
  });

  it("resumes from the last run's time when the clock was set back by an hour or less in between", () => {
    const machine = fakeClock();
    const lastTime = machine.wall() + 10 * minute;
    const steady = createSteadyClock(machine);
    steady.resume(lastTime);
    expect(steady.now()).toBe(lastTime);
    const other = createSteadyClock(machine);
    other.resume(machine.wall() + hour + 1);
    other.resume(machine.wall() - 1);
    expect(other.now()).toBe(machine.wall());
  });

  it("follow() sets the clock to the wall clock, even backward", () => {
    const machine = fakeClock();
    const steady = createSteadyClock(machine);
    machine.step(-minute);
    steady.follow();
    expect(steady.now()).toBe(machine.wall());
  });

  it("runs at least as fast as the monotonic clock while the wall clock makes steps of up to a minute", () => {
    const change = fc.record({ ms: fc.nat(2 * hour), step: fc.integer({ min: -minute, max: minute }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 50 }), (changes) => {
        const machine = fakeClock();
        const steady = createSteadyClock(machine);
        for (const { ms, step } of changes) {
          const before = steady.now();
          machine.advance(ms);
          machine.step(step);
          expect(steady.now() - before).toBeGreaterThanOrEqual(ms - 1);
        }
      }),
    );
  });
});
