import { createMoveAppClock, fillDisk, killApp, pauseApp, withoutFault } from "./app-faults.ts";
import { killWithBudget } from "./budget-faults.ts";
import { createPatroniFaults, createPromoteLaggingStandby, failOver } from "./failover-faults.ts";
import type { Fault } from "./fault.ts";
import { killWhileMoving, moveLargeTenant } from "./move-faults.ts";
import { createMovePostgresClock, cutNetwork, killPgBouncer, killPostgres, stopPostgres } from "./postgres-faults.ts";

/** The faults, in the order in which they are run. */
export const faults = {
  none: withoutFault,
  "kill-app": killApp,
  budget: killWithBudget,
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
  move: moveLargeTenant,
  "move-kills": killWhileMoving,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}
