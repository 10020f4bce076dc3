import { aimColumns, aimRows, markdownTable } from "./format.ts";
import type { BenchResult } from "./result.ts";

/** Renders the page of the benchmarks in Markdown. */
export function renderPage(machine: readonly (readonly string[])[], results: readonly BenchResult[]): string {
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

[Where the time goes](performance.md) explains the figures.

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
