import type { Histogram, RequestEnd } from "@platform-rpc/server";
import { add, durationBounds, observe, placesOf, readHistogram, sumAt } from "./buckets.js";

/** A call with a recorded trace. */
export interface Exemplar {
  readonly traceId: string;
  /** The observed value. */
  readonly value: number;
  /** Seconds since the epoch. */
  readonly at: number;
}

/** A trace id takes four places of 32 bits, because a place holds integers of up to 53 bits. */
const idPlaces = 4;
const places = idPlaces + 2;

/** Creates the layout of an exemplar for each bucket of each of `rows` histograms, from the place `start`. */
function createExemplars(start: number, rows: number, buckets: number) {
  const placeOf = (row: number, bucket: number) => start + (row * buckets + bucket) * places;
  return {
    places: rows * buckets * places,
    placeOf,
    write(numbers: Float64Array, row: number, bucket: number, { traceId, value, at }: Exemplar): void {
      const place = placeOf(row, bucket);
      for (let part = 0; part < idPlaces; part += 1) {
        numbers[place + part] = Number.parseInt(traceId.slice(part * 8, part * 8 + 8), 16);
      }
      numbers[place + idPlaces] = value;
      numbers[place + idPlaces + 1] = at;
    },
  };
}

/** Reads the newest exemplar of all threads at a place. Undefined if there is none. */
function readExemplar(threads: readonly Float64Array[], place: number): Exemplar | undefined {
  const found = threads
    .map((numbers) => [...numbers.subarray(place, place + places)])
    .reduce((newest, each) => ((each.at(-1) ?? 0) > (newest.at(-1) ?? 0) ? each : newest), []);
  const [value, at] = found.slice(idPlaces);
  if (value === undefined || at === undefined || at === 0) return undefined;
  const parts = found.slice(0, idPlaces).map((part) => part.toString(16).padStart(8, "0"));
  return { traceId: parts.join(""), value, at };
}

/** The calls of one operation that ended with one reason. */
export interface CallCount {
  readonly operation: string;
  /** `OK`, or the reason of the error. */
  readonly reason: string;
  readonly count: number;
}

/** The durations of the calls of one operation, in seconds. */
export interface CallDurations extends Histogram {
  readonly operation: string;
  /** A call with a recorded trace for each bucket, where there was one. */
  readonly exemplars: readonly (Exemplar | undefined)[];
}

/** Requests without a known operation: documents, unknown paths, and requests that cannot be parsed. */
const otherOperation = "other";
/** A reason that is in no contract, of an error that an implementation has created itself. */
const otherReason = "OTHER";

/** Where the figures of a listener's calls are in memory. Every thread has its own memory of the same layout. */
export type CallLayout = ReturnType<typeof createCallLayout>;

/**
 * Creates the layout for the given operations and reasons. Both are from the contract, so no caller can add labels.
 *
 * A recorder writes to plain numbers: a call takes less than 0.5 µs. Another thread may read them at any time.
 */
export function createCallLayout(operations: readonly string[], reasons: readonly string[]) {
  const rows = [...operations, otherOperation];
  const columns = ["OK", ...reasons, otherReason];
  const rowOf = new Map(rows.map((name, index) => [name, index]));
  const columnOf = new Map(columns.map((name, index) => [name, index]));
  const durationsAt = rows.length * columns.length;
  const exemplarsAt = durationsAt + rows.length * placesOf(durationBounds);
  const exemplars = createExemplars(exemplarsAt, rows.length, durationBounds.length + 1);
  const durationAt = (row: number) => durationsAt + row * placesOf(durationBounds);

  return {
    places: exemplarsAt + exemplars.places,

    /** Creates the hook that records the requests of a listener. */
    recorder(numbers: Float64Array): (end: RequestEnd) => void {
      return ({ operation = otherOperation, reason = "OK", durationMs, traceId, traceSampled }) => {
        const row = rowOf.get(operation) ?? rows.length - 1;
        const column = columnOf.get(reason) ?? columns.length - 1;
        const seconds = durationMs / 1000;
        add(numbers, row * columns.length + column, 1);
        const bucket = observe(numbers, durationAt(row), durationBounds, seconds);
        if (traceSampled === true && traceId !== undefined) {
          exemplars.write(numbers, row, bucket, { traceId, value: seconds, at: Date.now() / 1000 });
        }
      };
    },

    /** Returns the calls of all threads, without the combinations that have not occurred. */
    calls(threads: readonly Float64Array[]): CallCount[] {
      return rows
        .flatMap((operation, row) =>
          columns.map((reason, column) => ({
            operation,
            reason,
            count: sumAt(threads, row * columns.length + column),
          })),
        )
        .filter(({ count }) => count > 0);
    },

    durations(threads: readonly Float64Array[]): CallDurations[] {
      return rows
        .map((operation, row) => ({
          operation,
          ...readHistogram(threads, durationAt(row), durationBounds),
          exemplars: Array.from({ length: durationBounds.length + 1 }, (_, bucket) =>
            readExemplar(threads, exemplars.placeOf(row, bucket)),
          ),
        }))
        .filter(({ counts }) => counts.some((count) => count > 0));
    },
  };
}
