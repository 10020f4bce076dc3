import { parseArgs } from "node:util";
import type { EngineName } from "./engine/create-engine.ts";
import { createMoveAppClock, fillDisk, killApp, pauseApp, withoutFault } from "./inject/app-faults.ts";
import { createPromoteLaggingStandby, failOver } from "./inject/failover-faults.ts";
import type { Fault } from "./inject/fault.ts";
import { killWhileMoving, moveLargeTenant } from "./inject/move-faults.ts";
import {
  createMovePostgresClock,
  cutNetwork,
  killPgBouncer,
  killPostgres,
  stopPostgres,
} from "./inject/postgres-faults.ts";
import { createSteadyLoad } from "./inject/steady-load.ts";
import { printResult } from "./report/report.ts";
import { runFault } from "./run/run-fault.ts";

/** The faults, in the order in which they are run. */
const faults = {
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
  move: moveLargeTenant,
  "move-kills": killWhileMoving,
} satisfies Record<string, Fault>;

type FaultName = keyof typeof faults;

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}

const names = Object.keys(faults).filter(isFaultName);
const { options, chosen, minutes, require } = readOptions();
const { engine, short, seed } = options;

/** What failed is printed last: the end of a long log is what people read. */
const failed: (() => void)[] = [];

const run = async (fault: Fault): Promise<boolean> => {
  const missing = fault.missing?.(engine);
  if (missing !== undefined) {
    console.log(`\n${fault.title}: skipped. ${missing}`);
    return !require && chosen.length === 0;
  }
  const result = await runFault(fault, options);
  const print = () => printResult(`${fault.title} (${engine}, seed ${seed})`, result);
  const passes = result.violations.length === 0;
  if (passes) print();
  else failed.push(print);
  return passes;
};

const passed: boolean[] = [];
if (minutes !== undefined) {
  passed.push(await run(createSteadyLoad(minutes)));
} else {
  const selected = (chosen.length > 0 ? chosen : names).filter((name) => faults[name].engines.includes(engine));
  // The short forms of faults mostly wait: together they take as long as the longest.
  const alone = short ? selected.filter((name) => name === "none") : selected;
  for (const name of alone) passed.push(await run(faults[name]));
  const together = selected.filter((name) => !alone.includes(name));
  passed.push(...(await Promise.all(together.map((name) => run(faults[name])))));
}
for (const print of failed) print();
process.exitCode = passed.includes(false) ? 1 : 0;

function readOptions() {
  const { values, positionals } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      minutes: { type: "string" },
      keep: { type: "boolean", default: false },
      require: { type: "boolean", default: false },
      engine: { type: "string", default: "sqlite" },
      processes: { type: "string", default: "4" },
      seed: { type: "string", default: String(Date.now() % 1e6) },
    },
    allowPositionals: true,
  });
  const { short, keep, engine, require } = values;
  const [processes, seed] = [Number(values.processes), Number(values.seed)];
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const chosen = names.filter((name) => positionals.includes(name));
  const isLength = minutes === undefined || (minutes > 0 && positionals.length === 0);
  if (
    !isEngine(engine) ||
    !(processes >= 1) ||
    !Number.isInteger(seed) ||
    chosen.length < positionals.length ||
    !isLength
  ) {
    console.error(
      `Usage: pnpm faults [${names.join("|")}]... [--short] [--engine sqlite|postgres] [--processes n] [--seed n] [--keep] [--require]\n` +
        "       pnpm faults --minutes n [--engine sqlite|postgres] [--processes n] [--seed n] [--keep]",
    );
    process.exit(2);
  }
  // `process.exit` ends the processes of a run.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  // Only one process at a time can open a SQLite database.
  const options = { engine, processes: engine === "sqlite" ? 1 : processes, short, keep, seed };
  return { options, chosen, minutes, require };
}

function isEngine(name: string): name is EngineName {
  return name === "sqlite" || name === "postgres";
}
