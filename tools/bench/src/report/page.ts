import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { pinned } from "../load/pinning.ts";
import { summarize } from "../load/rounds.ts";
import { renderCharts } from "./chart.ts";
import {
  aimColumns,
  aimRows,
  alignedTable,
  type BenchResult,
  markdownTable,
  withDigits,
  withSpread,
} from "./format.ts";

const docs = new URL("../../../../docs/", import.meta.url);

const packages = [
  "fastify",
  "hono",
  "@hono/node-server",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "@bufbuild/protobuf",
  "pino",
  "oidc-provider",
];

/** The work of other programs on this machine, before a benchmark adds to it. */
const loadAtStart = loadavg()[0] ?? 0;

export function writePage(results: readonly BenchResult[]): void {
  writeFileSync(new URL("benchmarks.md", docs), renderPage(describeMachine(), results));
  writeFileSync(new URL("benchmarks.svg", docs), renderCharts(results.flatMap(({ chart }) => chart ?? [])));
}

export function printResult(result: BenchResult): void {
  console.log(`\n${result.title}\n\n${result.method}\n\n${alignedTable(result.columns, result.rows)}`);
  if (result.measured.length > 0) console.log(`\n${alignedTable(aimColumns, aimRows([result]))}`);
}

function renderPage(machine: readonly (readonly string[])[], results: readonly BenchResult[]): string {
  const sections = results.map(
    ({ title, method, columns, rows }) => `## ${title}\n\n${method}\n\n${markdownTable(columns, rows)}\n`,
  );
  return `<!-- Written by \`pnpm bench\`. Do not edit. -->

# Benchmarks

A figure is the median of several rounds. The range in parentheses contains the middle half of the rounds. The processes of a
table are measured in one run, in interleaved rounds of a fixed number of requests. A ratio is the median of the ratios of the
rounds. Rely on the ratios, not on the absolute figures.

Unless a section says otherwise, each measured process runs alone on one core, and the load runs on the others. CPU time is the
user and system time of the measured process, divided by the number of requests. The first benchmark starts only if all servers
answer with the same status, media type and JSON. "Everything on" means: verified token (cached), policy, rate limit, validation,
and one log line per request to a file, by our listener in batches and by stock Connect with pino's defaults.

![Chart of the results](benchmarks.svg)

[Where the time goes](performance.md) explains the figures. [Measured once](internals/measurements.md) contains those of former
benchmarks.

## Aims

${markdownTable(aimColumns, aimRows(results))}

For servers, a ratio of CPU times is the other server's time divided by ours: 2 means that ours needs half. For clients, it is our
client's time divided by the other's: 0.5 means that ours needs half. For databases of two sizes, it is the time in the large one
divided by the time in the small one.

${sections.join("\n")}
## Machine and versions

${markdownTable(["", ""], machine)}

## Repeat it

\`\`\`sh
npx -y pnpm@12 bench              # everything, about 15 minutes: writes this page
npx -y pnpm@12 bench http delete  # only these, without writing
npx -y pnpm@12 bench --short      # a short form, which CI compares with recorded ratios
\`\`\`

[tools/bench](../tools/bench/README.md) describes how it measures.
`;
}

/** Describes this machine and the compared versions. Contains no name and no path of the machine. */
function describeMachine(): string[][] {
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  return [
    ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores`],
    ["memory", `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    // A vendor's suffix of the version may name the machine.
    ["system", `${type()} ${release().replace(/-.*/, "")}`],
    ["load average before the run", withDigits(loadAtStart, 1)],
    ["one write and fdatasync of 4 kB", `${withSpread(summarize(flushTimes()), 2)} ms`],
    ["measured processes", pinned ? "pinned to the first core" : "not pinned to a core"],
    ["Node", process.versions.node],
    ["packages", versions.join(", ")],
    ["commit", execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).trim()],
    ["date", new Date().toISOString().slice(0, 10)],
  ];
}

function versionOf(name: string): string {
  const { version } = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8"),
  );
  return String(version);
}

/** Returns the milliseconds of flushes to the disk with the databases of the benchmarks. */
function flushTimes(): number[] {
  const folder = createTemporaryFolder("bench");
  const file = openSync(join(folder.path, "flush"), "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, (_, index) => {
    const startedAt = performance.now();
    writeSync(file, page, 0, page.length, index * page.length);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  folder.remove();
  return times;
}
