import { contentJson, type ItemContent, mostEarlierBytes, type StoredItem } from "./item.js";

/** A content of an item that was replaced. Times are in milliseconds since the epoch. */
export interface EarlierContent extends ItemContent {
  /** The last version of the item with this content. */
  readonly version: number;
  /** When the item got that version. */
  readonly updatedAt: number;
  /** When another content replaced it. */
  readonly replacedAt: number;
}

/** How many earlier contents an item keeps, and how long after they were replaced. See `mostEarlierBytes`, too. */
export const earlierBounds = { contents: 20, milliseconds: 365 * 24 * 60 * 60 * 1000 } as const;

/** Reads stored earlier contents, the newest first. Those of more than a year ago are stored until the next change of the item. */
export function readEarlier(stored: string, now: number): readonly EarlierContent[] {
  const contents: readonly EarlierContent[] = JSON.parse(stored);
  return contents.filter(({ replacedAt }) => now - replacedAt < earlierBounds.milliseconds);
}

/** Returns what is stored of earlier contents, the newest first: as many as the bounds allow. */
export function storedEarlier(contents: readonly EarlierContent[]): string {
  let bytes = 1;
  const written = contents.slice(0, earlierBounds.contents).map((content) => JSON.stringify(content));
  const end = written.findIndex((json) => {
    bytes += new TextEncoder().encode(json).length + 1;
    return bytes > mostEarlierBytes;
  });
  return `[${(end < 0 ? written : written.slice(0, end)).join()}]`;
}

/**
 * Returns what is stored of the earlier contents of an item once another content replaces its content. An equal content replaces nothing.
 *
 * @param trustedTime the time by which contents are dropped because of their age. Undefined: none is, because that cannot be undone.
 */
export function withReplaced(item: StoredItem, by: ItemContent, now: number, trustedTime: number | undefined): string {
  const { version, updatedAt } = item;
  const content = item.content();
  if (contentJson(content) === contentJson(by)) return item.earlier();
  const { kind, titleHash, encryptedPayload, wrappedKeys } = content;
  const replaced = { version, updatedAt, replacedAt: now, kind, titleHash, encryptedPayload, wrappedKeys };
  return storedEarlier([replaced, ...readEarlier(item.earlier(), trustedTime ?? 0)]);
}
