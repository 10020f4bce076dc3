import type { Benchmarks } from "./benchmarks.ts";
import { markdownTable } from "./markdown-table.ts";

/** The load. */
const target = { items: 1e9, requestsPerSecond: 1e5, writeShare: 0.2, changesPerItem: 3, auditPerItem: 4 };

/** Bytes on disk of a row with its indexes, on PostgreSQL 18, with 1 KiB of content for each item: see docs/scaling.md. */
const bytes = { items: 322, contents: 1297, content_keys: 261, changes: 209, audit: 356 };

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

/** Returns the capacity model of docs/scaling.md: the load, the table and the assumptions. */
export function capacityModel(benchmarks: Benchmarks): string {
  const { items, requestsPerSecond, writeShare } = target;
  const { writesPerPrimary, utilization, copies, headroom, hotTenantShare, hotVaultShare } = assumed;
  const load = `The model is for ${count(items)} items and ${count(requestsPerSecond)} requests a second, of which ${percent(writeShare)} are durable writes.`;
  const assumptions = [
    `- **Assumed.** Each primary commits ${count(writesPerPrimary)} durable writes a second. Machines are used to ${percent(utilization)} at the peak.`,
    `  Each shard has ${copies} copies: a primary, and the rest as standbys. A disk is ${headroom} times as large as its data. The hottest`,
    `  tenant makes ${percent(hotTenantShare)} of the writes, and the hottest vault gets ${percent(hotVaultShare)}.`,
  ];
  return [load, "", markdownTable(["", "", "arithmetic"], rowsOf(benchmarks)), "", ...assumptions].join("\n");
}

function rowsOf(benchmarks: Benchmarks): readonly (readonly string[])[] {
  const { items, requestsPerSecond: rate, writeShare, changesPerItem, auditPerItem } = target;
  /** CPU of a server for a call that reads, and for a deletion on PostgreSQL without the database itself, in µs. */
  const readCpu = benchmarks.value(
    "A fixed response over HTTP",
    "our listener, everything on, retries on SQLite",
    "CPU µs per request",
  );
  const writeCpu = benchmarks.value(
    "Durable deletions on PostgreSQL",
    "our listener, 100 vaults",
    "CPU µs per deletion: server",
  );
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
  return [
    ["durable writes", `${count(writes)}/s`, `${count(rate)}/s × ${writeShare}`],
    [
      "shards (primaries)",
      count(shards),
      `${count(writes)} ÷ ${count(assumed.writesPerPrimary)} ÷ ${assumed.utilization}, rounded up`,
    ],
    ["servers of PostgreSQL", count(shards * assumed.copies), `${shards} × ${assumed.copies} copies`],
    [
      "bytes for each item",
      count(perItem),
      `${bytes.items} + ${bytes.contents} + ${bytes.content_keys} + ${changesPerItem} × ${bytes.changes} + ${auditPerItem} × ${bytes.audit}`,
    ],
    ["data", `${data.toFixed(1)} TB`, `${count(items)} × ${count(perItem)}`],
    [
      "disk of each server",
      `${((data * assumed.headroom) / shards).toFixed(2)} TB`,
      `${data.toFixed(1)} × ${assumed.headroom} ÷ ${shards}`,
    ],
    [
      "cores that serve HTTP",
      count(cores),
      `(${count(rate - writes)} × ${readCpu} µs + ${count(writes)} × ${writeCpu} µs) ÷ ${assumed.utilization}`,
    ],
    ["writes of the hottest tenant", `${count(hotTenant)}/s`, `${count(writes)} × ${assumed.hotTenantShare}`],
    ["writes of the hottest vault", `${count(hotVault)}/s`, `${count(writes)} × ${assumed.hotVaultShare}`],
    ["until that vault has no sequences left", `${years.toFixed(1)} years`, `2^32 ÷ ${count(hotVault)}/s`],
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en").replaceAll(",", " ");
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
