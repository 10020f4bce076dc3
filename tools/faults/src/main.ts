import { readHistory } from "./history/history-file.ts";
import type { Fault } from "./inject/fault.ts";
import { faults, isFaultName } from "./inject/faults.ts";
import { figuresOf, outcomesOf, printResult } from "./report/report.ts";
import { readOptions } from "./run/options.ts";
import { runFault } from "./run/run-fault.ts";
import { verify } from "./verify/verify.ts";

const names = Object.keys(faults).filter(isFaultName);
const usage =
  `Usage: pnpm faults [${names.join("|")}]... [--short] [--engine sqlite|postgres] [--processes n] [--seed n] [--keep] [--require]\n` +
  "       pnpm faults check history.jsonl";
const [command, path, ...more] = process.argv.slice(2);
if (command === "check" && path !== undefined && more.length === 0) process.exit((await checkHistory(path)) ? 0 : 1);
const { options, chosen, require } = readOptions(names, usage);
const { engine, short, seed } = options;

const run = async (name: (typeof names)[number]): Promise<boolean> => {
  const fault: Fault = faults[name];
  const missing = fault.missing?.(engine);
  if (missing !== undefined) {
    console.log(`\n${fault.title}: skipped. ${missing}`);
    return !require && !chosen.includes(name);
  }
  const result = await runFault(fault, { ...options, load: { processes: short ? 1 : 4, clients: 8 } });
  printResult(`${fault.title} (${engine}, seed ${seed})`, result);
  return result.violations.length === 0;
};

const selected = (chosen.length > 0 ? chosen : names).filter((name) =>
  faults[name].engines.some((each) => each === engine),
);
const passed: boolean[] = [];
// The short forms of faults mostly wait: together they take as long as the longest.
const alone = short ? selected.filter((name) => name === "none") : selected;
for (const name of alone) passed.push(await run(name));
passed.push(...(await Promise.all(selected.filter((name) => !alone.includes(name)).map(run))));
process.exitCode = passed.includes(false) ? 1 : 0;

/** Checks a recorded history again, and prints the result. Returns whether nothing contradicts it. */
async function checkHistory(path: string): Promise<boolean> {
  const { title, options, calls, stored } = await readHistory(path);
  const verdict = verify(calls, stored, options);
  const figures = [...outcomesOf(calls), ...figuresOf(verdict)];
  printResult(title, { figures, violations: verdict.violations, folder: undefined });
  return verdict.violations.length === 0;
}
