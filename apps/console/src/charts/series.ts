import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";

/** A line of a chart. */
export interface Series {
  readonly name: string;
  /** One for each time of the chart. Undefined: there was nothing to measure. */
  readonly values: readonly (number | undefined)[];
}

/** What the server did in an interval: see `GET /account/api/charts`. */
export interface CallsPoint {
  /** The end of the interval, in ISO 8601. */
  readonly at: string;
  readonly deletions: number;
  readonly exchanges: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly p50?: number;
  readonly p99?: number;
}

/** How many reasons have a separate line. */
const mostReasons = 4;

/** Returns the refusals by reason: the most frequent ones, and all others together. */
export function refusalsOf(points: readonly CallsPoint[]): readonly Series[] {
  const sums = new Map<string, number>();
  for (const { refusals } of points) {
    for (const [reason, rate] of Object.entries(refusals)) sums.set(reason, (sums.get(reason) ?? 0) + rate);
  }
  const names = [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const shown = names.slice(0, mostReasons);
  const others = names.slice(mostReasons);
  const sumOf = (point: CallsPoint, of: readonly string[]) =>
    of.reduce((sum, name) => sum + (point.refusals[name] ?? 0), 0);
  return [
    ...shown.map((name) => ({ name, values: points.map((point) => sumOf(point, [name])) })),
    ...(others.length === 0 ? [] : [{ name: "Other reasons", values: points.map((point) => sumOf(point, others)) }]),
  ];
}

/** Returns the path of a line. It has a gap where a value is missing, and a dot where a value is alone. */
export function pathOf(places: readonly (readonly [x: number, y: number | undefined])[], step = false): string {
  let pen = false;
  let last = 0;
  let path = "";
  for (const [x, y] of places) {
    if (y === undefined) {
      pen = false;
      continue;
    }
    const [px, py] = [x.toFixed(1), y.toFixed(1)];
    if (!pen) path += `M${px} ${py}h0`;
    else path += step ? `L${px} ${last.toFixed(1)}L${px} ${py}` : `L${px} ${py}`;
    pen = true;
    last = y;
  }
  return path;
}

/** What the size of a vault is computed from. */
export type SizedItem = Pick<Item, "itemId" | "deleted" | "updatedAt">;

/** The number of items from a time on. */
interface SizePoint {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly items: number;
}

/**
 * Returns the number of items over time: one point for each change. An item counts from its creation until its deletion. A restored
 * item counts as if it had not been deleted.
 */
export function sizeOverTime(items: readonly SizedItem[]): readonly SizePoint[] {
  const changes = new Map<number, number>();
  const add = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const item of items) {
    const changed = item.updatedAt === undefined ? undefined : timestampDate(item.updatedAt).getTime();
    if (changed === undefined) continue;
    add(Math.min(timeInId(item.itemId) ?? changed, changed), 1);
    if (item.deleted) add(changed, -1);
  }
  let size = 0;
  return [...changes]
    .sort(([one], [other]) => one - other)
    .map(([at, by]) => {
      size += by;
      return { at, items: size };
    });
}

/** Returns the time in a UUIDv7, in milliseconds since the epoch. Undefined for any other id. */
export function timeInId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}
