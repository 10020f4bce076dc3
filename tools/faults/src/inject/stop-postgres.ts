import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import { type Fault, postgresOf } from "./fault.ts";
import { waitUntilReady } from "./readiness.ts";

/** Stops all processes of PostgreSQL for 10 s, as a frozen virtual machine would. Its connections stay open. */
export const stopPostgres: Fault = {
  title: "PostgreSQL is stopped for 10 s (SIGSTOP)",
  engines: ["postgres"],
  async inject({ engine, apps, advance, short }) {
    const postgres = postgresOf(engine);
    const [stops, seconds] = short ? [1, 3] : [3, 10];
    const recovered: number[] = [];
    for (let stop = 0; stop < stops; stop += 1) {
      await advance(100);
      postgres.signal("SIGSTOP");
      await setTimeout(seconds * 1000);
      postgres.signal("SIGCONT");
      recovered.push(await waitUntilReady(apps));
    }
    await advance(100);
    return [
      ["stops", `${stops} of ${seconds} s`],
      ["all processes ready after it continues, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};
