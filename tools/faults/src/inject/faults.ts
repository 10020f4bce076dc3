import { cutNetwork } from "./cut-network.ts";
import { failOver } from "./fail-over.ts";
import type { Fault } from "./fault.ts";
import { fillDisk } from "./fill-disk.ts";
import { killApp } from "./kill-app.ts";
import { killPgBouncer } from "./kill-pgbouncer.ts";
import { killPostgres } from "./kill-postgres.ts";
import { createMoveAppClock } from "./move-app-clock.ts";
import { createMovePostgresClock } from "./move-postgres-clock.ts";
import { createPatroniFaults } from "./patroni.ts";
import { pauseApp } from "./pause-app.ts";
import { createPromoteLaggingStandby } from "./promote-lagging-standby.ts";
import { stopPostgres } from "./stop-postgres.ts";
import { withoutFault } from "./without-fault.ts";

/** The faults, in the order in which they are run. */
export const faults = {
  none: withoutFault,
  "kill-app": killApp,
  "pause-app": pauseApp,
  "disk-full": fillDisk,
  clock: createMoveAppClock(),
  "clock-postgres": createMovePostgresClock(),
  "kill-postgres": killPostgres,
  "stop-postgres": stopPostgres,
  "kill-pgbouncer": killPgBouncer,
  "cut-network": cutNetwork,
  "fail-over": failOver,
  "lagging-standby": createPromoteLaggingStandby(),
  patroni: createPatroniFaults(),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}
