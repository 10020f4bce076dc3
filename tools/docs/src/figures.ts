import { type Benchmarks, readBenchmarks } from "./benchmarks.ts";
import { capacityModel } from "./capacity.ts";
import { markdownTable } from "./markdown-table.ts";

const http = "A fixed response over HTTP";
const sqlite = "Durable deletions over HTTP";
const postgres = "Durable deletions on PostgreSQL";
const serverCpu = "CPU µs per deletion: server";

/** The blocks of figures by their names on a page. */
const blocks = { capacity: capacityModel, clients, growth, listener, postgres: onPostgres, postgresGrowth, sizing };

export type BlockName = keyof typeof blocks;

/** A block of figures on a page. The second line break before its end is that of the table. */
const blockPattern =
  /(<!-- figures: (\w+)\. Written by tools\/docs from benchmarks\.md: do not edit\. -->\n\n).*?(\n\n<!-- end of figures -->)/gs;

/** Returns a page whose blocks of figures have the results of the benchmarks. @throws Error for an unknown block or a missing result. */
export function withFigures(page: string, benchmarksPage: string): string {
  const benchmarks = readBenchmarks(benchmarksPage);
  return page.replace(blockPattern, (_, start: string, name: string, end: string) => {
    if (!isBlockName(name)) throw new Error(`There is no block of figures "${name}".`);
    return start + blocks[name](benchmarks) + end;
  });
}

/** Returns the names of the blocks of a page. */
export function blocksOf(page: string): readonly string[] {
  return [...page.matchAll(blockPattern)].map(([, , name = ""]) => name);
}

/** Returns what somebody has written on a page: it without its blocks. */
export function withoutFigures(page: string): string {
  return page.replace(blockPattern, "");
}

export const blockNames = Object.keys(blocks).filter(isBlockName);

function isBlockName(name: string): name is BlockName {
  return Object.hasOwn(blocks, name);
}

function listener({ figure, value }: Benchmarks): string {
  const cpu = "CPU µs per request";
  const bare = value(http, "bare node:http", cpu);
  const servers = [
    ["bare node:http", "bare node:http"],
    ["our listener", "our listener, a fixed response"],
    ["our listener, everything on", "our listener, everything on"],
    ["our listener, everything on, retries on SQLite", "our listener, everything on, retries of deletions"],
  ] as const;
  const rows = servers.map(([row, name]) => {
    const more = value(http, row, cpu) - bare;
    return [name, figure(http, row, cpu), more === 0 ? "–" : more.toFixed(1)];
  });
  return markdownTable(["", "CPU µs of a call", "more than bare node:http"], rows);
}

function growth(benchmarks: Benchmarks): string {
  return aimsTable(
    benchmarks,
    "durable deletions with 10⁶ items : with 10³ items",
    "durable deletions with 10⁶ items in 10⁵ vaults : with 10³ items in 10² vaults",
  );
}

function onPostgres(benchmarks: Benchmarks): string {
  const { figure, value } = benchmarks;
  const ours = "our listener, 100 vaults";
  const stock = "stock Connect, one statement for each deletion, 100 vaults";
  const rows = [serverCpu, "PostgreSQL"].map((column) => [
    column === serverCpu ? "server" : "PostgreSQL, all processes",
    figure(postgres, ours, column),
    figure(postgres, stock, column),
    (value(postgres, stock, column) / value(postgres, ours, column)).toFixed(1),
  ]);
  const costs = markdownTable(["CPU µs per deletion, 100 vaults", "ours", "stock Connect", "ratio"], rows);
  const aims = aimsTable(
    benchmarks,
    "durable deletions on PostgreSQL, 100 vaults : stock Connect with one statement for each",
    "durable deletions on PostgreSQL, one vault : stock Connect with one statement for each",
  );
  return `${costs}\n\n${aims}`;
}

function postgresGrowth(benchmarks: Benchmarks): string {
  return aimsTable(
    benchmarks,
    "durable deletions on PostgreSQL with 10⁶ items in 10⁵ vaults : with 10³ items in 10² vaults",
  );
}

function clients(benchmarks: Benchmarks): string {
  return aimsTable(
    benchmarks,
    "`@platform-rpc/client/json` : plain `fetch`",
    "`@platform-rpc/client` : stock Connect client",
  );
}

/** The rows of docs/operate/install.md that a benchmark measures. */
function sizing({ figure }: Benchmarks): string {
  const deletion = figure(sqlite, "our listener, commits in batches", "CPU µs per deletion");
  const retry = figure(http, "our listener, everything on, retries on SQLite", "CPU µs per request");
  const idle = figure("Memory of an idle connection", "our listener, everything on", "kB per connection");
  const onServer = figure(postgres, "our listener, 100 vaults", serverCpu);
  const inDatabase = figure(postgres, "our listener, 100 vaults", "PostgreSQL");
  return markdownTable(
    ["what", "SQLite", "PostgreSQL"],
    [
      ["CPU time of the app for a deletion", `${deletion} µs, with the database`, `${onServer} µs`],
      ["CPU time of PostgreSQL for a deletion", "–", `${inDatabase} µs`],
      ["CPU time of the app for a repeated deletion, which writes nothing", `${retry} µs`, "not measured"],
      ["memory of an idle connection", `${idle} kB`, `${idle} kB`],
    ],
  );
}

function aimsTable({ aims }: Benchmarks, ...names: readonly string[]): string {
  return markdownTable(["what", "by", "aim", "measured", "reached"], aims(...names));
}
