import { aimColumns, aimRows, markdownTable } from "./format.ts";
import type { BenchResult } from "./result.ts";

/** Renders the page of the benchmarks in Markdown. */
export function renderPage(machine: readonly (readonly string[])[], results: readonly BenchResult[]): string {
  const sections = results.map(
    ({ title, method, columns, rows }) => `## ${title}\n\n${method}\n\n${markdownTable(columns, rows)}\n`,
  );
  return `<!-- Written by \`pnpm bench\`. Do not edit. -->

# Benchmarks

Every figure is the median of several rounds. The middle half of the rounds lies in the range in parentheses. The servers of a
table are measured in one run, in interleaved rounds: each round sends every server a fixed number of requests. A ratio is the
median of the ratios of the rounds. Rely on the ratios, not on the absolute figures.

Each measured process runs alone on one core, and the load runs on the others. CPU time is the user and system time of the
measured process, divided by the number of requests. Before the measurement, the run checks that all servers answer with the same
status, media type and JSON. "Everything on" means: verified token (cached), policy, rate limit, validation, and one log line per
request to a file, by our listener in batches and by stock Connect with pino's defaults.

![Chart of the results](benchmarks.svg)

## Aims

${markdownTable(aimColumns, aimRows(results))}

A ratio of CPU times of servers is that of the other server to ours: 2 means that ours needs half. A ratio of CPU times of clients
is that of ours to the other.

${sections.join("\n")}
## Machine and versions

${markdownTable(["", ""], machine)}

## Repeat it

\`\`\`sh
npx -y pnpm@12 bench              # everything, about 10 minutes: writes this page
npx -y pnpm@12 bench http delete  # only these, without writing
npx -y pnpm@12 bench --short      # a short form, which CI compares with recorded ratios
\`\`\`

[tools/bench](../tools/bench/README.md) describes how it measures.
`;
}
