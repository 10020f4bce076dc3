import type { RequestEnd } from "@platform-rpc/server";
import type { Exemplar, HistogramFamily, NumberFamily } from "./exposition.js";
import { createHistogram } from "./histogram.js";

/** A request that has ended, as far as the figures count it. */
export type CallEnd = Pick<RequestEnd, "operation" | "reason" | "durationMs"> &
  Partial<Pick<RequestEnd, "traceId" | "traceSampled">>;

/** The figures of the requests of one listener. */
export interface CallFigures {
  /** Records a request, in less than 0.5 µs. */
  record(end: CallEnd): void;
  /** Returns the numbers of calls by operation and reason, `OK` or that of the error, without the combinations that have not occurred. */
  calls(): NumberFamily["samples"];
  /** Returns the durations of calls by operation, in seconds, with the newest call with a recorded trace in each bucket. */
  durations(): HistogramFamily["samples"];
}

/** The upper bounds of the buckets for durations, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests without a known operation: documents, unknown paths, and requests that cannot be parsed. */
const otherOperation = "other";
/** A reason that is in no contract, of an error that an implementation has created itself. */
const otherReason = "OTHER";

/** Creates figures for the given operations and reasons. Both are from the contract, so no caller can add labels. */
export function createCallFigures(
  listener: string,
  operations: Iterable<string>,
  reasons: Iterable<string>,
): CallFigures {
  const columns = ["OK", ...reasons, otherReason];
  const other = createRow(otherOperation, columns);
  const rows = new Map([...operations].map((operation) => [operation, createRow(operation, columns)]));
  const all = [...rows.values(), other];

  return {
    record({ operation = otherOperation, reason = "OK", durationMs, traceId, traceSampled }) {
      const { counts, durations, exemplars } = rows.get(operation) ?? other;
      const column = counts.has(reason) ? reason : otherReason;
      counts.set(column, (counts.get(column) ?? 0) + 1);
      const value = durationMs / 1000;
      const bucket = durations.observe(value);
      if (traceSampled === true && traceId !== undefined) exemplars[bucket] = { traceId, value, at: Date.now() / 1000 };
    },

    calls: () =>
      all
        .flatMap(({ operation, counts }) =>
          [...counts].map(([reason, value]) => ({ labels: { listener, operation, reason }, value })),
        )
        .filter(({ value }) => value > 0),

    durations: () =>
      all
        .map(({ operation, durations, exemplars }) => {
          return { labels: { listener, operation }, ...durations.read(), exemplars: [...exemplars] };
        })
        .filter(({ counts }) => counts.some((count) => count > 0)),
  };
}

function createRow(operation: string, columns: readonly string[]) {
  return {
    operation,
    /** By reason, in the order of the contract. */
    counts: new Map(columns.map((reason) => [reason, 0])),
    durations: createHistogram(bounds),
    exemplars: Array.from({ length: bounds.length + 1 }, (): Exemplar | undefined => undefined),
  };
}
