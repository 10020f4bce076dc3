import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

/** The load. */
const target = { items: 1e9, requestsPerSecond: 1e5, writeShare: 0.2, changesPerItem: 3, auditPerItem: 4 };

const benchmarks = readFileSync(new URL("../../../docs/benchmarks.md", import.meta.url), "utf8");

/** Measured figures: see docs/scaling.md. */
const measured = {
  /** CPU of a server for a call that reads, and for a deletion on PostgreSQL without the database itself, in µs. */
  readCpu: benchmarkFigure("our listener, everything on, retries on SQLite"),
  writeCpu: benchmarkFigure("our listener, 100 vaults"),
  /** Bytes on disk of a row with its indexes, on PostgreSQL 18, with 1 KiB of content for each item. */
  bytes: { items: 322, contents: 1297, content_keys: 261, changes: 209, audit: 356 },
};

/** Assumptions: replace them with your own figures. */
const assumed = {
  /** Durable writes that one primary commits in a second. */
  writesPerPrimary: 5000,
  /** The part of a machine that is used at the peak. */
  utilization: 0.6,
  /** Copies of each shard: a primary and two standbys. */
  copies: 3,
  /** Free space for bloat, temporary files and growth. */
  headroom: 1.5,
  /** The largest part of the writes that one tenant, and one vault, make. */
  hotTenantShare: 0.02,
  hotVaultShare: 0.005,
};

/** One line of the model. */
interface CapacityLine {
  readonly what: string;
  readonly value: string;
  readonly arithmetic: string;
}

/** Returns the capacity model of docs/scaling.md. */
function capacity(): readonly CapacityLine[] {
  const { items, requestsPerSecond: rate, writeShare, changesPerItem, auditPerItem } = target;
  const { bytes, readCpu, writeCpu } = measured;
  const writes = rate * writeShare;
  const shards = Math.ceil(writes / assumed.writesPerPrimary / assumed.utilization);
  const perItem =
    bytes.items + bytes.contents + bytes.content_keys + changesPerItem * bytes.changes + auditPerItem * bytes.audit;
  const data = (items * perItem) / 1e12;
  const cpu = ((rate - writes) * readCpu + writes * writeCpu) / 1e6;
  const cores = Math.ceil(cpu / assumed.utilization);
  const hotTenant = writes * assumed.hotTenantShare;
  const hotVault = writes * assumed.hotVaultShare;
  const years = 2 ** 32 / (hotVault * 86_400 * 365);
  const line = (what: string, value: string, arithmetic: string): CapacityLine => ({ what, value, arithmetic });
  return [
    line("durable writes", `${count(writes)}/s`, `${count(rate)}/s × ${writeShare}`),
    line(
      "shards (primaries)",
      count(shards),
      `${count(writes)} ÷ ${count(assumed.writesPerPrimary)} ÷ ${assumed.utilization}, rounded up`,
    ),
    line("servers of PostgreSQL", count(shards * assumed.copies), `${shards} × ${assumed.copies} copies`),
    line(
      "bytes for each item",
      count(perItem),
      `${bytes.items} + ${bytes.contents} + ${bytes.content_keys} + ${changesPerItem} × ${bytes.changes} + ${auditPerItem} × ${bytes.audit}`,
    ),
    line("data", `${data.toFixed(1)} TB`, `${count(items)} × ${count(perItem)}`),
    line(
      "disk of each server",
      `${((data * assumed.headroom) / shards).toFixed(2)} TB`,
      `${data.toFixed(1)} × ${assumed.headroom} ÷ ${shards}`,
    ),
    line(
      "cores that serve HTTP",
      count(cores),
      `(${count(rate - writes)} × ${readCpu} µs + ${count(writes)} × ${writeCpu} µs) ÷ ${assumed.utilization}`,
    ),
    line("writes of the hottest tenant", `${count(hotTenant)}/s`, `${count(writes)} × ${assumed.hotTenantShare}`),
    line("writes of the hottest vault", `${count(hotVault)}/s`, `${count(writes)} × ${assumed.hotVaultShare}`),
    line("until that vault has no sequences left", `${years.toFixed(1)} years`, `2^32 ÷ ${count(hotVault)}/s`),
  ];
}

/** Returns the model as a Markdown table. */
export function capacityTable(): string {
  const rows = capacity().map(({ what, value, arithmetic }) => `| ${what} | ${value} | ${arithmetic} |`);
  return ["| | | arithmetic |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the CPU time in the row of docs/benchmarks.md that starts with this name. */
function benchmarkFigure(name: string): number {
  const row = benchmarks.split("\n").find((line) => line.startsWith(`| ${name} |`));
  const figure = Number(row?.split("|")[3]?.trim().split(" ")[0]);
  if (!(figure > 0)) throw new Error(`docs/benchmarks.md has no CPU time in the row "${name}".`);
  return figure;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en").replaceAll(",", " ");
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) console.log(capacityTable());
