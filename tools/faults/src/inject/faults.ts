import { cutNetwork } from "./cut-network.ts";
import { failOver } from "./fail-over.ts";
import type { Fault } from "./fault.ts";
import { createFillDisk } from "./fill-disk.ts";
import { killApp } from "./kill-app.ts";
import { killPostgres } from "./kill-postgres.ts";
import { createMoveClock } from "./move-clock.ts";
import { createPatroniFaults } from "./patroni.ts";
import { pauseApp } from "./pause-app.ts";
import { withoutFault } from "./without-fault.ts";

/** The faults, in the order in which they are run. */
export const faults = {
  none: withoutFault,
  "kill-app": killApp,
  "pause-app": pauseApp,
  "disk-full": createFillDisk(),
  clock: createMoveClock(),
  "kill-postgres": killPostgres,
  "cut-network": cutNetwork,
  "fail-over": failOver,
  patroni: createPatroniFaults(),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}
