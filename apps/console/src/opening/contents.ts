import type { Item } from "@platform-rpc/types";
import type { Content } from "./open-content.js";
import type { OpenItems } from "./opener.js";

/** The decrypted contents of a vault's items, in memory. */
export type Contents = ReturnType<typeof createContents>;

/** How many contents are opened at once: few at first, so that the first titles appear at once. */
const [firstBatch, batch] = [10, 200];

/** Creates the contents of a vault. @param atOnce how many batches are opened at the same time */
export function createContents(open: OpenItems, atOnce = 1) {
  // Contents are forgotten with their items.
  const opened = new WeakMap<Item, Content>();
  const asked = new WeakSet<Item>();
  let waiting: Item[] = [];
  let revision = 0;
  let running = 0;
  const listeners = new Set<() => void>();

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const items = waiting.splice(0, revision === 0 ? firstBatch : batch);
      for (const item of items) asked.add(item);
      const contents = await open(items);
      items.forEach((item, index) => {
        const content = contents[index];
        if (content !== undefined) opened.set(item, content);
      });
      revision += 1;
      for (const listener of listeners) listener();
    }
    running -= 1;
  };

  return {
    /** Returns the content of an item; undefined until it is open. */
    get: (item: Item) => opened.get(item),
    /** Opens the contents of items in the background, and no others: each object once. */
    want(items: Iterable<Item>) {
      waiting = [];
      for (const item of items) if (!asked.has(item)) waiting.push(item);
      for (; running < atOnce && waiting.length > 0; running += 1) void work();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Returns a number that changes with the contents. */
    revision: () => revision,
  };
}
