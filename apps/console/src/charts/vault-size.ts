import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";

/** What the size of a vault is computed from. */
export type SizedItem = Pick<Item, "itemId" | "deleted" | "updatedAt">;

/** The number of items from a time on. */
export interface SizePoint {
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
