import type { RecordedCall } from "../history/journal.ts";

/** A part of a run, in microseconds of the machine's monotonic clock, as in journals. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const reads = new Set(["get", "list", "look"]);

/** Returns the longest time in each period during which no write succeeded, in milliseconds. */
export function longestWithoutWrite(calls: readonly RecordedCall[], periods: readonly Period[]): number[] {
  const ends = calls
    .filter(({ request, result }) => !reads.has(request.kind) && result?.ok === true)
    .map(({ endedAt }) => endedAt)
    .sort((a, b) => a - b);
  return periods.map(({ from, to }) => {
    const marks = [from, ...ends.filter((end) => end > from && end < to), to];
    const gaps = marks.map((mark, at) => mark - (marks[at - 1] ?? mark));
    return Math.max(...gaps) / 1000;
  });
}
