import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import { createDisk, type Disk } from "./disk.ts";
import type { Fault } from "./fault.ts";
import { isReady, waitUntil } from "./readiness.ts";

/** Fills the disk of the database under load, and frees it again. */
export function createFillDisk(): Fault {
  let disk: Disk | undefined;
  return {
    title: "the disk of the database is full",
    engines: ["sqlite"],
    setUp(dataDir, stack) {
      disk = createDisk(dataDir);
      stack.defer(disk.release);
      return {};
    },
    async inject({ apps: [{ pid, target }], advance, short }) {
      if (disk === undefined) throw new Error("The disk was not set up.");
      const noticed: number[] = [];
      const recovered: number[] = [];
      for (let time = 0; time < (short ? 1 : 5); time += 1) {
        await advance(100);
        disk.fill(pid);
        noticed.push(await waitUntil(async () => !(await isReady(target))));
        await setTimeout(short ? 1000 : 5000);
        disk.free(pid);
        recovered.push(await waitUntil(() => isReady(target)));
      }
      await advance(100);
      return [
        ["times full", `${noticed.length}, by ${disk.how}`],
        ["not ready after, longest", milliseconds(Math.max(...noticed))],
        ["ready again after, longest", milliseconds(Math.max(...recovered))],
      ];
    },
  };
}
