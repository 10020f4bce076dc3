import type { RecordedCall } from "../history/journal.ts";
import type { Verdict } from "../verify/verify.ts";

/** A figure of a run, for people: its name and its value. */
export type Figure = readonly [string, string | number];

export interface FaultResult {
  readonly figures: readonly Figure[];
  readonly violations: readonly string[];
  /** The folder of the database, the history and the logs. Undefined if there is none any more. */
  readonly folder: string | undefined;
}

export function milliseconds(value: number): string {
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function outcomesOf(calls: readonly RecordedCall[]): Figure[] {
  const answered = calls.filter(({ result }) => result !== undefined);
  const why = (reasons: readonly (string | undefined)[]) =>
    [...Map.groupBy(reasons, (reason) => reason ?? "")]
      .filter(([reason]) => reason !== "")
      .map(([reason, each]) => `${reason} ${count(each.length)}`)
      .join(", ") || "none";
  return [
    ["calls", count(calls.length)],
    ["  with a result", count(answered.length)],
    ["  without any effect", why(calls.map(({ refused }) => refused))],
    ["  with an unknown effect", why(calls.map(({ lost }) => lost))],
    ["longest time without a result", milliseconds(longestGap(answered))],
  ];
}

export function figuresOf({ objects, records, sealed, durationMs }: Verdict): Figure[] {
  return [
    ["linearizable", `${count(objects)} items, device authorizations, sign-ins and accounts`],
    ["seals", `of ${count(sealed)} of ${count(records)} audit records`],
    ["checked in", milliseconds(durationMs)],
  ];
}

/** Returns the longest time between two responses, in milliseconds: how long clients noticed the fault. */
function longestGap(answered: readonly RecordedCall[]): number {
  const ends = Float64Array.from(answered, ({ endedAt }) => endedAt).sort();
  let longest = 0;
  for (let at = 1; at < ends.length; at += 1) longest = Math.max(longest, (ends[at] ?? 0) - (ends[at - 1] ?? 0));
  return longest / 1000;
}

const longestList = 20;

export function printResult(title: string, { figures, violations, folder }: FaultResult): void {
  console.log(`\n${title}`);
  const width = Math.max(0, ...figures.map(([name]) => name.length));
  for (const [name, value] of figures) console.log(`  ${name.padEnd(width)}  ${value}`);
  if (violations.length === 0) console.log("  Nothing contradicts what clients were told.");
  else console.log(`  ${violations.length} violations:`);
  for (const violation of violations.slice(0, longestList)) console.log(`  - ${violation}`);
  if (folder !== undefined) console.log(`  The database, the history and the logs are in ${folder}.`);
}
