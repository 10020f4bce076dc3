import { setTimeout } from "node:timers/promises";
import type { Fault } from "./fault.ts";

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
