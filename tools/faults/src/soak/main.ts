import { printResult } from "../report/report.ts";
import { readOptions } from "../run/options.ts";
import { runFault } from "../run/run-fault.ts";
import { createSoak } from "./soak.ts";

const usage = "Usage: pnpm soak [--short] [--engine sqlite|postgres] [--processes n] [--seed n]";
const { options } = readOptions([], usage);
const { engine, short, seed } = options;
const load = { processes: 2, clients: 8, callsPerSecond: short ? 200 : 300 };
const soak = createSoak(short ? 20 : 600, short);
const result = await runFault(soak, { ...options, load });
printResult(`${soak.title} (${engine}, ${options.processes} processes, seed ${seed})`, result);
process.exitCode = result.violations.length > 0 ? 1 : 0;
