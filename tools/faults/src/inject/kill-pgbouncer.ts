import { setTimeout } from "node:timers/promises";
import { missingPgBouncer } from "../engine/pgbouncer.ts";
import { milliseconds } from "../report/format.ts";
import { type Fault, postgresOf } from "./fault.ts";
import { waitUntilReady } from "./readiness.ts";

/** Kills PgBouncer between the app and PostgreSQL at any moment under load, and starts it again. */
export const killPgBouncer: Fault = {
  title: "kill -9 of PgBouncer under load",
  engines: ["postgres"],
  database: () => ({ pooler: true }),
  missing: missingPgBouncer,
  async inject({ engine, apps, random, advance, short }) {
    const { pooler } = postgresOf(engine);
    if (pooler === undefined) throw new Error("The server has no PgBouncer.");
    const kills = short ? 2 : 20;
    const recovered: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await advance(100);
      await setTimeout(random.below(500));
      await pooler.kill();
      await setTimeout(random.below(1000));
      pooler.start();
      recovered.push(await waitUntilReady(apps));
    }
    await advance(100);
    return [
      ["kills", kills],
      ["all processes ready after PgBouncer is started, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};
