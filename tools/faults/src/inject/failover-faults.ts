import { setTimeout } from "node:timers/promises";
import { findPatroni } from "@platform-rpc/testbed/patroni";
import { now, type RecordedCall } from "../history/journal.ts";
import { milliseconds } from "../report/report.ts";
import { clusterOf, type Fault, isReady, postgresOf, waitUntil, waitUntilReady } from "./fault.ts";

/** Kills the primary under load, promotes its synchronous standby, and points the network to it. */
export const failOver: Fault = {
  title: "the primary dies, and its synchronous standby is promoted",
  engines: ["postgres"],
  database: () => ({ server: "with standby" }),
  async inject({ engine, apps, advance, short }) {
    const postgres = postgresOf(engine);
    await advance(short ? 200 : 2000);
    const startedAt = performance.now();
    await postgres.failOver();
    const promoted = performance.now() - startedAt;
    await waitUntilReady(apps);
    const ready = performance.now() - startedAt;
    await advance(short ? 200 : 2000);
    return [
      ["promoted after", milliseconds(promoted)],
      ["all processes ready after", milliseconds(ready)],
    ];
  },
};

/** How far the standby lags behind at least, in milliseconds: processes of the app remember the end of the audit trail once a second. */
const lagMs = 3_000;

/**
 * Cuts an asynchronous standby off, kills the primary after more changes, and promotes the standby: acknowledged changes are lost. The
 * platform must stop serving until an operator has begun an epoch.
 */
export function createPromoteLaggingStandby(): Fault {
  const stopped = { from: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  return {
    title: "the primary dies, and an asynchronous standby that lags behind is promoted",
    engines: ["postgres"],
    database: () => ({ server: "with asynchronous standby" }),
    losesUntil: () => stopped.until,
    async inject({ engine, apps, advance, short }) {
      const postgres = postgresOf(engine);
      await advance(short ? 200 : 2000);
      await postgres.cutReplication();
      await Promise.all([advance(short ? 200 : 2000), setTimeout(lagMs)]);
      await postgres.failOver();
      const promotedAt = performance.now();
      await waitUntil(async () => !(await Promise.all(apps.map(({ target }) => isReady(target)))).some(Boolean));
      const noticed = performance.now() - promotedAt;
      stopped.from = now();
      await setTimeout(short ? 1000 : 5000);
      // An operator decides.
      await Promise.all(apps.map((app) => app.kill()));
      await apps[0].command("begin-epoch");
      stopped.until = now();
      const started = await Promise.all(apps.map((app) => app.start()));
      await waitUntilReady(apps);
      await advance(short ? 200 : 2000);
      return [
        ["not ready after", milliseconds(noticed)],
        ["started after begin-epoch in", milliseconds(Math.max(...started))],
      ];
    },
    judge(calls) {
      const served = calls.filter(
        ({ begunAt, result }) => begunAt > stopped.from && begunAt < stopped.until && result?.ok,
      );
      return {
        figures: [["calls that succeeded before the epoch, after the platform had noticed", served.length]],
        violations: served.map(
          ({ request, begunAt }) =>
            `${JSON.stringify(request)} succeeded at ${begunAt}, before an operator had decided`,
        ),
      };
    },
  };
}

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

/** A part of a run, in microseconds of the machine's monotonic clock, as in journals. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const reads = new Set(["get", "list", "look"]);

/** Returns the longest time in each period during which no write succeeded, in milliseconds. */
export function longestWithoutWrite(calls: readonly RecordedCall[], periods: readonly Period[]): number[] {
  const ends = calls
    .filter(({ request, result }) => !reads.has(request.kind) && result?.ok === true)
    .map(({ endedAt }) => endedAt)
    .sort((a, b) => a - b);
  return periods.map(({ from, to }) => {
    const marks = [from, ...ends.filter((end) => end > from && end < to), to];
    const gaps = marks.map((mark, at) => mark - (marks[at - 1] ?? mark));
    return Math.max(...gaps) / 1000;
  });
}
