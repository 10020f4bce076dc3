import { describe, expect, it } from "vitest";
import { createSteadyClock } from "./clock.js";

const minute = 60_000;

/** Creates the two clocks of a machine. `step` sets the wall clock, `advance` lets the time pass. */
function machineAt(wall: number) {
  let monotonic = 0;
  return {
    wall: () => wall,
    monotonic: () => monotonic,
    step(ms: number) {
      wall += ms;
    },
    advance(ms: number) {
      wall += ms;
      monotonic += ms;
    },
  };
}

describe("the steady clock", () => {
  it("runs on when the wall clock is set back by up to 15 minutes, until the wall clock catches up", () => {
    const machine = machineAt(60 * minute);
    const steady = createSteadyClock(machine);
    machine.step(-15 * minute);
    machine.advance(minute);
    expect(steady.now()).toBe(61 * minute);
    machine.step(20 * minute);
    expect(steady.now()).toBe(machine.wall());
  });

  it("follows a larger step back", () => {
    const machine = machineAt(60 * minute);
    const steady = createSteadyClock(machine);
    machine.step(-15 * minute - 1);
    expect(steady.now()).toBe(machine.wall());
  });
});
