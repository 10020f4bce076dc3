import { setTimeout } from "node:timers/promises";
import { milliseconds } from "../report/format.ts";
import { type Fault, type Figure, postgresOf } from "./fault.ts";
import { waitUntilReady } from "./readiness.ts";

/** Cuts the network between the app and PostgreSQL in three ways, under load. */
export const cutNetwork: Fault = {
  title: "the network to PostgreSQL is cut",
  engines: ["postgres"],
  async inject({ engine, apps, advance, short }) {
    const { network } = postgresOf(engine);
    const seconds = short ? 2 : 10;
    const figures: Figure[] = [];
    for (const mode of ["reset", "hang", "half-open"] as const) {
      await advance(100);
      network.set(mode);
      await setTimeout(seconds * 1000);
      network.set("pass");
      const recovered = await waitUntilReady(apps);
      figures.push([`${mode} for ${seconds} s: all processes ready after`, milliseconds(recovered)]);
    }
    await advance(100);
    return figures;
  },
};
