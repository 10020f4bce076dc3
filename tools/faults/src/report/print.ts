import type { FaultResult } from "../run/run-fault.ts";

const longestList = 20;

/** Prints the figures of a run, and its violations. */
export function printResult(title: string, { figures, violations, folder }: FaultResult): void {
  console.log(`\n${title}`);
  const width = Math.max(0, ...figures.map(([name]) => name.length));
  for (const [name, value] of figures) console.log(`  ${name.padEnd(width)}  ${value}`);
  if (violations.length === 0) console.log("  Nothing contradicts what clients were told.");
  else console.log(`  ${violations.length} violations:`);
  for (const violation of violations.slice(0, longestList)) console.log(`  - ${violation}`);
  if (folder !== undefined) console.log(`  The database, the history and the logs are in ${folder}.`);
}
