import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import { type Clock, createClock, describeJumps } from "./clock.ts";
import type { Fault } from "./fault.ts";
import { waitUntil } from "./readiness.ts";

const alarm = "the wall clock moved by more than an hour";

/** Sets the wall clock of the app by more than an hour, forward and back, under load. */
export function createMoveAppClock(): Fault {
  let clock: Clock | undefined;
  return {
    title: "the clock of the app is set by an hour, forward and back",
    engines: ["sqlite", "postgres"],
    clockMoves: true,
    setUp(dataDir) {
      clock = createClock(join(dataDir, ".."));
      return clock.environment;
    },
    async inject({ apps, advance, short }) {
      const alarmed: number[] = [];
      const jumps = short ? [61, 0] : [61, 0, -61, 0, 59, 0, -59, 0];
      for (const minutes of jumps) {
        await advance(200);
        clock?.set(minutes);
        if (Math.abs(minutes) > 60) {
          alarmed.push(await waitUntil(() => apps.some((app) => app.log().includes(alarm))));
        }
        await setTimeout(short ? 0 : 8000);
      }
      await advance(200);
      return [
        ["jumps", describeJumps(jumps)],
        ["alarm after", milliseconds(Math.max(...alarmed))],
      ];
    },
  };
}
