import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Clock, createClock } from "@platform-rpc/testbed/clock";
import { milliseconds } from "../report/report.ts";
import { describeJumps, type Fault, isReady, waitUntil, waitUntilReady } from "./fault.ts";

/** A load without a fault: the most calls for the check for linearizability. */
export const withoutFault: Fault = {
  title: "load without a fault",
  engines: ["sqlite", "postgres"],
  calls: { full: 100_000, short: 10_000 },
  inject: async () => [],
};

/** Ends a process of the app with SIGKILL at any moment: mostly under load, sometimes while it starts. */
export const killApp: Fault = {
  title: "kill -9 of the app under load",
  engines: ["sqlite", "postgres"],
  async inject({ apps, random, advance, short }) {
    const kills = short ? 4 : 40;
    const starts: number[] = [];
    let duringStart = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const app = random.pick(apps);
      await advance(short ? 200 : 100);
      await setTimeout(random.below(500));
      await app.kill();
      if (random.chance(0.25)) {
        duringStart += 1;
        app.launch();
        await setTimeout(random.below(500));
        await app.kill();
      }
      starts.push(await app.start());
    }
    await advance(100);
    return [
      ["kills under load", kills],
      ["kills during a start", duringStart],
      ["start after a kill, longest", milliseconds(Math.max(...starts))],
    ];
  },
};

/** Stops a process of the app for 10 s, as a debugger or a frozen virtual machine would. Its connections stay open. */
export const pauseApp: Fault = {
  title: "the app is stopped for 10 s (SIGSTOP)",
  engines: ["sqlite", "postgres"],
  async inject({ apps, random, advance, short }) {
    const [pauses, seconds] = short ? [1, 3] : [3, 10];
    for (let pause = 0; pause < pauses; pause += 1) {
      await advance(100);
      const { pid } = random.pick(apps);
      process.kill(pid, "SIGSTOP");
      await setTimeout(seconds * 1000);
      process.kill(pid, "SIGCONT");
    }
    await advance(100);
    return [["pauses", `${pauses} of ${seconds} s`]];
  },
};

export const fillDisk: Fault = {
  title: "the disk of the database is full",
  engines: ["sqlite", "postgres"],
  database: () => ({ smallDisk: true }),
  missing: (engine) =>
    engine === "postgres" && process.getuid?.() !== 0 ? "Only root can mount the disk of PostgreSQL." : undefined,
  async inject({ engine: { disk, postgres }, apps, advance, short }) {
    if (disk === undefined) throw new Error("The database has no disk that can be filled.");
    const [{ pid, target }] = apps;
    const noticed: number[] = [];
    const recovered: number[] = [];
    for (let time = 0; time < (short ? 1 : 5); time += 1) {
      await advance(100);
      disk.fill(pid);
      noticed.push(await waitUntil(async () => !(await isReady(target))));
      await setTimeout(short ? 1000 : 5000);
      disk.free(pid);
      // PostgreSQL ends if it cannot write its WAL.
      await postgres?.start();
      recovered.push(await waitUntilReady(apps));
    }
    await advance(100);
    return [
      ["times full", `${noticed.length}, by ${disk.how}`],
      ["not ready after, longest", milliseconds(Math.max(...noticed))],
      ["ready again after, longest", milliseconds(Math.max(...recovered))],
    ];
  },
};

const alarm = "the wall clock moved by more than an hour";

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
