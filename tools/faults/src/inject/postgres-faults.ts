import { setTimeout } from "node:timers/promises";
import { type Clock, createClock } from "@platform-rpc/testbed/clock";
import { installedPgBouncer } from "@platform-rpc/testbed/pgbouncer";
import { type Figure, milliseconds } from "../report/report.ts";
import { describeJumps, type Fault, type FaultContext, postgresOf, waitUntilReady } from "./fault.ts";

export const killPostgres: Fault = {
  title: "kill -9 of PostgreSQL under load",
  engines: ["postgres"],
  async inject(context) {
    const recovered = await killRepeatedly(postgresOf(context.engine), context);
    return [
      ["kills", recovered.length],
      ["all processes ready after PostgreSQL is, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};

export const killPgBouncer: Fault = {
  title: "kill -9 of PgBouncer under load",
  engines: ["postgres"],
  database: () => ({ pooler: true }),
  missing: () =>
    installedPgBouncer.missing
      ? "PgBouncer was not found. Install Debian's package pgbouncer, or set PGBOUNCER_PATH."
      : undefined,
  async inject(context) {
    const { pooler } = postgresOf(context.engine);
    if (pooler === undefined) throw new Error("The server has no PgBouncer.");
    const recovered = await killRepeatedly(pooler, context);
    return [
      ["kills", recovered.length],
      ["all processes ready after PgBouncer is started, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};

/** Kills a server several times under load. Returns how long the app took to be ready after each start, in milliseconds. */
async function killRepeatedly(
  server: { kill(): Promise<void>; start(): unknown },
  { apps, random, advance, short }: FaultContext,
): Promise<readonly number[]> {
  const recovered: number[] = [];
  for (let kill = 0; kill < (short ? 2 : 20); kill += 1) {
    await advance(100);
    await setTimeout(random.below(500));
    await server.kill();
    await setTimeout(random.below(1000));
    await server.start();
    recovered.push(await waitUntilReady(apps));
  }
  await advance(100);
  return recovered;
}

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

export const cutNetwork: Fault = {
  title: "the network to PostgreSQL is cut",
  engines: ["postgres"],
  async inject({ engine, apps, advance, short }) {
    const { network } = postgresOf(engine);
    const seconds = short ? 2 : 10;
    const figures: Figure[] = [];
    for (const mode of ["reset", "hang", "half-open"] as const) {
      await advance(100);
      network.set(mode);
      await setTimeout(seconds * 1000);
      network.set("pass");
      const recovered = await waitUntilReady(apps);
      figures.push([`${mode} for ${seconds} s: all processes ready after`, milliseconds(recovered)]);
    }
    await advance(100);
    return figures;
  },
};

/** The clocks of the app are right. */
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
