import { setTimeout } from "node:timers/promises";
import { type Clock, createClock, describeJumps } from "./clock.ts";
import { type Fault, postgresOf } from "./fault.ts";

/** Sets the wall clock of PostgreSQL by more than an hour, forward and back, under load. The clocks of the app are right. */
export function createMovePostgresClock(): Fault {
  let clock: Clock | undefined;
  return {
    title: "the clock of PostgreSQL is set by an hour, forward and back",
    engines: ["postgres"],
    database(folder) {
      clock = createClock(folder);
      return { under: ["env", ...Object.entries(clock.environment).map(([name, value]) => `${name}=${value}`)] };
    },
    async inject({ engine, advance, short }) {
      const postgres = postgresOf(engine);
      const jumps = short ? [61, 0, -61, 0] : [61, 0, -61, 0, 1440, 0, -1440, 0];
      for (const minutes of jumps) {
        await advance(200);
        clock?.set(minutes);
        const ahead = (await postgres.clock()) - Date.now();
        if (Math.abs(ahead / 60_000 - minutes) > 1)
          throw new Error(`PostgreSQL's clock was not set to ${minutes} min.`);
        await setTimeout(short ? 500 : 8000);
      }
      await advance(200);
      return [["jumps", describeJumps(jumps)]];
    },
  };
}
