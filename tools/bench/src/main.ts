import { parseArgs } from "node:util";
import { benchBroker } from "./broker/broker.ts";
import { benchClient } from "./client/client.ts";
import { benchConnections } from "./connections/connections.ts";
import { benchConsole } from "./console/console.ts";
import { benchDelete } from "./delete/delete.ts";
import { benchGrowth } from "./delete/growth.ts";
import { benchHttp } from "./http/http.ts";
import { pinLoad } from "./load/pinning.ts";
import { benchOracle } from "./oracle/oracle.ts";
import { benchPostgres } from "./postgres/postgres.ts";
import { benchReads } from "./reads/reads.ts";
import type { BenchResult, Effort } from "./report/format.ts";
import { printResult, writePage } from "./report/page.ts";
import { checkRatios, comparisonTable, fallen, readRecordedRatios, recordRatios, tolerance } from "./report/ratios.ts";
import { benchSignIn } from "./sign-in/sign-in.ts";
import { benchStart } from "./start/start.ts";

const benches = {
  http: benchHttp,
  reads: benchReads,
  delete: benchDelete,
  growth: benchGrowth,
  "sign-in": benchSignIn,
  postgres: benchPostgres,
  connections: benchConnections,
  broker: benchBroker,
  client: benchClient,
  start: benchStart,
  console: benchConsole,
  oracle: benchOracle,
} as const;

type BenchName = keyof typeof benches;

const benchNames = Object.keys(benches).filter(isBenchName);

/** The benchmarks with ratios that `pnpm bench --short` compares. */
const shortBenches: readonly BenchName[] = ["http", "client"];

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean", default: false }, record: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !isBenchName(name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark "${unknown.join(" ")}". Usage: pnpm bench [${benchNames.join("|")}]... [--short]`,
  );
  process.exit(2);
}
const chosen = positionals.filter(isBenchName);
// `process.exit` removes the temporary folders and ends the servers.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
pinLoad();

if (values.record) recordRatios(await runAll(shortBenches, "short"));
else if (values.short) process.exitCode = (await keepRatios(chosen.length > 0 ? chosen : shortBenches)) ? 0 : 1;
else if (chosen.length > 0) await runAll(chosen, "full");
else {
  writePage(await runAll(benchNames, "full"));
  recordRatios(await runAll(shortBenches, "short"));
}

async function run(name: BenchName, effort: Effort): Promise<BenchResult> {
  const result = await benches[name](effort);
  printResult(result);
  return result;
}

async function runAll(names: readonly BenchName[], effort: Effort): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const name of names) results.push(await run(name, effort));
  return results;
}

/** Runs the short form. Returns whether every ratio is within the tolerance of the recorded one. */
async function keepRatios(names: readonly BenchName[]): Promise<boolean> {
  const recorded = readRecordedRatios();
  const comparisons = [];
  for (const name of names) comparisons.push(...(await checkRatios(() => run(name, "short"), recorded)));
  console.log(`\n${comparisonTable(comparisons)}`);
  const lost = fallen(comparisons);
  for (const { id } of lost)
    console.log(`${id} is more than ${tolerance * 100} % worse than recorded in every attempt.`);
  return lost.length === 0;
}

function isBenchName(name: string): name is BenchName {
  return Object.hasOwn(benches, name);
}
