import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import { type Fault, postgresOf } from "./fault.ts";
import { waitUntilReady } from "./readiness.ts";

/** Kills all processes of PostgreSQL at any moment under load, and starts it again. */
export const killPostgres: Fault = {
  title: "kill -9 of PostgreSQL under load",
  engines: ["postgres"],
  async inject({ engine, apps, random, advance, short }) {
    const postgres = postgresOf(engine);
    const kills = short ? 2 : 20;
    const recovered: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await advance(100);
      await setTimeout(random.below(500));
      await postgres.kill();
      await setTimeout(random.below(1000));
      await postgres.start();
      recovered.push(await waitUntilReady(apps));
    }
    await advance(100);
    return [
      ["kills", kills],
      ["all processes ready after PostgreSQL is, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};
