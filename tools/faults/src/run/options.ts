import { parseArgs } from "node:util";
import type { EngineName } from "../engine/create-engine.ts";
import type { RunOptions } from "./run-fault.ts";

/** Reads the arguments of the program. Ends it with the usage if they are invalid. */
export function readOptions<Name extends string>(
  names: readonly Name[],
  usage: string,
): {
  readonly options: Omit<RunOptions, "load">;
  readonly chosen: readonly Name[];
  /** Whether a fault for which this machine lacks something fails, instead of being skipped. */
  readonly require: boolean;
} {
  const { values, positionals } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
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
  const chosen = names.filter((name) => positionals.includes(name));
  if (!isEngine(engine) || !(processes >= 1) || !Number.isInteger(seed) || chosen.length < positionals.length) {
    console.error(usage);
    process.exit(2);
  }
  // `process.exit` ends the processes of a run.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  // Only one process at a time can open a SQLite database.
  return { options: { engine, processes: engine === "sqlite" ? 1 : processes, short, keep, seed }, chosen, require };
}

function isEngine(name: string): name is EngineName {
  return name === "sqlite" || name === "postgres";
}
