import type { Item } from "@platform-rpc/types";
import type { Content } from "./open-content.js";

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

/** How many contents are opened before the page is painted again. */
const atOnce = 32;

/** Creates the contents of a vault. */
export function createContents(open: (item: Item) => Promise<Content>): Contents {
  let opened = new Map<string, Content>();
  let waiting: Item[] = [];
  let revision = 0;
  let running = false;
  const listeners = new Set<() => void>();

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const next = waiting.splice(0, atOnce);
      const contents = await Promise.all(next.map(async (item) => [keyOf(item), await open(item)] as const));
      for (const [key, content] of contents) opened.set(key, content);
      revision += 1;
      for (const listener of listeners) listener();
    }
    running = false;
  };

  return {
    get: (item) => opened.get(keyOf(item)),
    want(items) {
      const kept = new Map<string, Content>();
      waiting = [];
      for (const item of items) {
        const content = opened.get(keyOf(item));
        if (content === undefined) waiting.push(item);
        else kept.set(keyOf(item), content);
      }
      opened = kept;
      void run();
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
  return JSON.stringify([itemId, version, encryptedPayload?.ciphertext === ""]);
}
