import type { RecordedCall } from "../history/journal.ts";
import type { Figure } from "../inject/fault.ts";
import type { Verdict } from "../verify/verify.ts";
import { count, milliseconds } from "./format.ts";

/** Summarizes what clients saw. */
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

/** Summarizes what was checked. */
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
