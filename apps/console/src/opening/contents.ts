import type { Item } from "@platform-rpc/types";
import type { Content } from "./open-content.js";
import type { OpenItems } from "./opener.js";

/** The decrypted contents of a vault's items, in memory. */
export interface Contents {
  /** Returns the content of an item at its version; undefined until it is open. */
  get(item: Item): Content | undefined;
  /** Opens the contents of items in the background. Forgets those of other items and versions. */
  want(items: Iterable<Item>): void;
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns a number that changes with the contents. */
  readonly revision: () => number;
}

/** How many contents are opened at once: few at first, so that the first titles appear at once. */
const [firstBatch, batch] = [25, 200];

/** Creates the contents of a vault. @param atOnce how many batches are opened at the same time */
export function createContents(open: OpenItems, atOnce = 1): Contents {
  let opened = new Map<string, Content>();
  let waiting: Item[] = [];
  let revision = 0;
  const opening = new Set<string>();
  let running = 0;
  const listeners = new Set<() => void>();

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const items = waiting.splice(0, opened.size === 0 ? firstBatch : batch);
      const keys = items.map(keyOf);
      for (const key of keys) opening.add(key);
      const contents = await open(items);
      keys.forEach((key, index) => {
        const content = contents[index];
        // While it was opened, the item may have been replaced or removed.
        if (opening.delete(key) && content !== undefined) opened.set(key, content);
      });
      revision += 1;
      for (const listener of listeners) listener();
    }
    running -= 1;
  };
  const run = () => {
    for (; running < atOnce && waiting.length > 0; running += 1) void work();
  };

  return {
    get: (item) => opened.get(keyOf(item)),
    want(items) {
      const kept = new Map<string, Content>();
      const wanted = new Set<string>();
      waiting = [];
      for (const item of items) {
        const key = keyOf(item);
        wanted.add(key);
        const content = opened.get(key);
        if (content !== undefined) kept.set(key, content);
        else if (!opening.has(key)) waiting.push(item);
      }
      for (const key of opening) if (!wanted.has(key)) opening.delete(key);
      opened = kept;
      run();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revision: () => revision,
  };
}

/** A shredded item has the version of its tombstone, but another content. */
function keyOf({ itemId, version, encryptedPayload }: Item): string {
  return `${itemId} ${version}${encryptedPayload?.ciphertext === "" ? " shredded" : ""}`;
}
