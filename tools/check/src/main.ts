import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runGate } from "./gate.ts";
import { lanes } from "./lanes.ts";
import { closingLine, failureOf, row } from "./report.ts";
import { runLanes } from "./run-lanes.ts";
import { tallyTests } from "./tally.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The report that `pnpm test` writes. */
const testReport = join(root, "node_modules/.vitest/report.json");

// `--tested 0`: `pnpm test` has already run, with this exit code.
const { values } = parseArgs({ options: { tested: { type: "string" } } });

// The tests run last and alone, because they need the whole machine.
const gates = await runLanes(lanes, run);
const tests = tallyTests(values.tested === undefined ? await runTests() : values.tested === "0", testReport);

for (const gate of gates) if (!gate.passed) console.log(failureOf(gate));
console.log(closingLine(gates, tests));
process.exitCode = tests.failed > 0 || gates.some((gate) => !gate.passed) ? 1 : 0;

async function run(script: string) {
  const result = await runGate(script, root);
  console.log(row(result));
  return result;
}

async function runTests(): Promise<boolean> {
  // Removes the report of an earlier run, which must not count if this run writes none.
  rmSync(testReport, { force: true });
  const result = await run("test");
  if (!result.passed) console.log(failureOf(result));
  return result.passed;
}
