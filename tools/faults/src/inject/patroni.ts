import { now } from "../history/journal.ts";
import { findPatroni } from "../patroni/find-programs.ts";
import { milliseconds } from "../report/format.ts";
import { clusterOf, type Fault } from "./fault.ts";
import { longestWithoutWrite, type Period } from "./periods.ts";
import { waitUntilReady } from "./readiness.ts";

/** Switches the primary of a Patroni cluster over, and kills it with its Patroni, under load. */
export function createPatroniFaults(): Fault {
  const switchovers: Period[] = [];
  const kills: Period[] = [];
  return {
    title: "switchover and kill -9 of the primary of a Patroni cluster",
    engines: ["postgres"],
    database: () => ({ server: "patroni" }),
    missing() {
      const found = findPatroni();
      return "missing" in found ? found.missing : undefined;
    },
    async inject({ engine, apps, advance, short }) {
      const cluster = clusterOf(engine);
      const promoted: number[] = [];
      const during = async (periods: Period[], event: () => Promise<string>) => {
        await cluster.settle();
        await advance(200);
        const from = now();
        await event();
        promoted.push((now() - from) / 1000);
        await waitUntilReady(apps);
        await advance(200);
        periods.push({ from, to: now() });
      };
      for (let round = 0; round < (short ? 1 : 3); round += 1) {
        await during(switchovers, cluster.switchOver);
        await during(kills, cluster.killPrimary);
        cluster.restart();
      }
      await cluster.settle();
      await advance(200);
      const [ofSwitchovers, ofKills] = [
        promoted.filter((_, at) => at % 2 === 0),
        promoted.filter((_, at) => at % 2 === 1),
      ];
      return [
        ["switchovers", ofSwitchovers.length],
        ["  new primary after", ofSwitchovers.map(milliseconds).join(", ")],
        ["kills of the primary", ofKills.length],
        ["  new primary after", ofKills.map(milliseconds).join(", ")],
      ];
    },
    judge: (calls) => ({
      figures: [
        [
          "no successful write during each switchover for",
          longestWithoutWrite(calls, switchovers).map(milliseconds).join(", "),
        ],
        ["no successful write after each kill for", longestWithoutWrite(calls, kills).map(milliseconds).join(", ")],
      ],
      violations: [],
    }),
  };
}
