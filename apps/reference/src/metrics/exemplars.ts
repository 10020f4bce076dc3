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
export function createExemplars(start: number, rows: number, buckets: number) {
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
export function readExemplar(threads: readonly Float64Array[], place: number): Exemplar | undefined {
  const found = threads
    .map((numbers) => [...numbers.subarray(place, place + places)])
    .reduce((newest, each) => ((each.at(-1) ?? 0) > (newest.at(-1) ?? 0) ? each : newest), []);
  const [value, at] = found.slice(idPlaces);
  if (value === undefined || at === undefined || at === 0) return undefined;
  const parts = found.slice(0, idPlaces).map((part) => part.toString(16).padStart(8, "0"));
  return { traceId: parts.join(""), value, at };
}
