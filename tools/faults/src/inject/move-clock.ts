import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { milliseconds } from "../report/format.ts";
import type { Fault } from "./fault.ts";
import { waitUntil } from "./readiness.ts";

const alarm = "the wall clock moved by more than an hour";

/** Sets the wall clock of the app by more than an hour, forward and back, under load. The monotonic clock runs on. */
export function createMoveClock(): Fault {
  let setOffset = (_minutes: number) => {};
  return {
    title: "the clock of the app is set by an hour, forward and back",
    engines: ["sqlite", "postgres"],
    clockMoves: true,
    setUp(dataDir) {
      const file = join(dataDir, "../clock");
      const library = join(dataDir, "../clock-shim.so");
      const source = fileURLToPath(new URL("./clock-shim.c", import.meta.url));
      execFileSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
      setOffset = (minutes) => writeFileSync(file, new BigInt64Array([BigInt(minutes * 60)]), { flag: "r+" });
      writeFileSync(file, new BigInt64Array([0n]));
      return { LD_PRELOAD: library, FAULTS_CLOCK_FILE: file };
    },
    async inject({ apps, advance, short }) {
      const alarmed: number[] = [];
      const jumps = short ? [61, 0] : [61, 0, -61, 0, 59, 0, -59, 0];
      for (const minutes of jumps) {
        await advance(200);
        setOffset(minutes);
        if (Math.abs(minutes) > 60) {
          alarmed.push(await waitUntil(() => apps.some((app) => app.log().includes(alarm))));
        }
        await setTimeout(short ? 0 : 8000);
      }
      await advance(200);
      return [
        ["jumps", jumps.map((minutes) => (minutes === 0 ? "back to the true time" : `${minutes} min`)).join(", ")],
        ["alarm after", milliseconds(Math.max(...alarmed))],
      ];
    },
  };
}
