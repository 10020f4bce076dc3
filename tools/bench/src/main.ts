import { parseArgs } from "node:util";
import { benches, benchNames, isBenchName, shortBenches } from "./benches.ts";
import { pinLoad } from "./load/pinning.ts";
import { printResult } from "./report/print.ts";
import type { BenchResult } from "./report/result.ts";

const { values, positionals } = parseArgs({ options: { short: { type: "boolean" } }, allowPositionals: true });
const unknown = positionals.filter((name) => !isBenchName(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join(" ")}". Run: pnpm bench [${benchNames.join("|")}] [--short]`);
  process.exit(2);
}
// Removes the temporary folders, and ends the servers with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
pinLoad();
const chosen = positionals.length > 0 ? positionals.filter(isBenchName) : values.short ? shortBenches : benchNames;
const results: BenchResult[] = [];
for (const name of chosen) {
  const result = await benches[name](values.short ? "short" : "full");
  results.push(result);
  printResult(result);
}
