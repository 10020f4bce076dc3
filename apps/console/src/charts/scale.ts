/** Maps values to places, both linearly. */
export type Scale = (value: number) => number;

/** Creates a scale. A domain without extent is mapped to the start. */
export function linearScale([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  const extent = to - from;
  return (value) => (extent === 0 ? start : start + ((value - from) / extent) * (end - start));
}

/** Returns round values from 0 to at least `largest`, about `count` of them: multiples of 1, 2 or 5 times a power of ten. */
export function valueTicks(largest: number, count = 4): readonly number[] {
  if (!(largest > 0)) return [0, 1];
  const raw = largest / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const steps = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const timeSteps = [
  minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
];

/**
 * Returns round times between two times, at most `count` of them: full minutes, hours or days.
 *
 * @param zoneMs the offset of the time zone from UTC, in milliseconds
 */
export function timeTicks(from: number, to: number, count = 6, zoneMs = 0): readonly number[] {
  const extent = Math.max(1, to - from);
  const wanted = timeSteps.find((step) => extent / step <= count);
  const step = wanted ?? Math.ceil(extent / day / count) * day;
  const first = Math.ceil((from + zoneMs) / step) * step - zoneMs;
  const ticks: number[] = [];
  for (let tick = first; tick <= to && ticks.length < count + 1; tick += step) ticks.push(tick);
  return ticks;
}

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, notation: "compact" });

/** Formats a value for an axis or a table, such as `1.5K`. */
export function valueText(value: number): string {
  return plain.format(value);
}
