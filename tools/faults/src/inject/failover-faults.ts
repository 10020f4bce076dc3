import { setTimeout } from "node:timers/promises";
import { now } from "../history/journal.ts";
import { milliseconds } from "../report/report.ts";
import { type Fault, postgresOf, readinessOf, waitUntil, waitUntilReady } from "./fault.ts";

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

const isReplaced = (status: unknown) => status === "database replaced";

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
      // Before, a process that has lost its connection is not ready either, and serves again for up to a second.
      const allNoticed = async () =>
        (await Promise.all(apps.map(({ target }) => readinessOf(target)))).every(isReplaced);
      await waitUntil(allNoticed);
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
        ["all processes noticed after", milliseconds(noticed)],
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
