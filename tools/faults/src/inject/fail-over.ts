import { milliseconds } from "../report/format.ts";
import { type Fault, postgresOf } from "./fault.ts";
import { waitUntilReady } from "./readiness.ts";

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
