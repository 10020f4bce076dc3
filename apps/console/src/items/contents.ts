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

/** How many contents are opened at the same time. */
const atOnce = 4;

/** How long contents are opened before the page can paint and react, in milliseconds: Chromium decrypts in the thread of the page. */
const sliceMs = 8;

/** How often listeners are notified, in milliseconds: each time, the table is ordered again. */
const notifyEveryMs = 250;

/** Creates the contents of a vault. */
export function createContents(open: (item: Item) => Promise<Content>): Contents {
  let opened = new Map<string, Content>();
  let waiting: Item[] = [];
  let revision = 0;
  const opening = new Set<string>();
  let running = 0;
  let notifying = false;
  const listeners = new Set<() => void>();

  const notify = () => {
    notifying = false;
    revision += 1;
    for (const listener of listeners) listener();
  };
  const notifyLater = () => {
    if (notifying) return;
    notifying = true;
    // The first contents appear at once, and so do the last ones.
    setTimeout(notify, revision === 0 || waiting.length === 0 ? 0 : notifyEveryMs);
  };
  const work = async (): Promise<void> => {
    let startedAt = performance.now();
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      if (performance.now() - startedAt > sliceMs) {
        await new Promise((resolve) => setTimeout(resolve));
        startedAt = performance.now();
      }
      const key = keyOf(item);
      opening.add(key);
      opened.set(key, await open(item));
      opening.delete(key);
      notifyLater();
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
      waiting = [];
      for (const item of items) {
        const key = keyOf(item);
        const content = opened.get(key);
        if (content !== undefined) kept.set(key, content);
        else if (!opening.has(key)) waiting.push(item);
      }
      // The first ones are opened first.
      waiting.reverse();
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
  return JSON.stringify([itemId, version, encryptedPayload?.ciphertext === ""]);
}
