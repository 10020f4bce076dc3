import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import type { Fault } from "./fault.ts";
import { isReady, waitUntil, waitUntilReady } from "./readiness.ts";

/** Fills the disk of the database under load, and frees it again. */
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
