import { fakeClock } from "@platform-rpc/fixtures";
import { describe, expect, it } from "vitest";
import { createSteadyClock } from "./clock.js";

const minute = 60_000;

describe("the steady clock", () => {
  it("follows the wall clock forward", () => {
    const machine = fakeClock(minute);
    const steady = createSteadyClock(machine);
    machine.step(90 * minute);
    expect(steady.now()).toBe(machine.wall());
  });

  it("runs on when the wall clock is set back by up to 15 minutes, until the wall clock catches up", () => {
    const machine = fakeClock(60 * minute);
    const steady = createSteadyClock(machine);
    machine.step(-15 * minute);
    machine.advance(minute);
    expect(steady.now()).toBe(61 * minute);
    machine.step(20 * minute);
    expect(steady.now()).toBe(machine.wall());
  });

  it("follows a larger step back", () => {
    const machine = fakeClock(60 * minute);
    const steady = createSteadyClock(machine);
    machine.step(-15 * minute - 1);
    expect(steady.now()).toBe(machine.wall());
  });
});
