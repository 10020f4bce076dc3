import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import type { Fault } from "./fault.ts";

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
