import type { Item } from "@platform-rpc/types";
import type { ListChangesResponse } from "@platform-rpc/types-internal/accounts";
import { explain } from "../elements/explain.js";

/** The copy of a vault in this browser, and the position up to which it is complete. */
interface VaultCopy {
  readonly items: ReadonlyMap<string, Item>;
  readonly sequence: number;
  /** The versions of the items at the position: without what was only added. */
  readonly versions: ReadonlyMap<string, number>;
}

const emptyCopy: VaultCopy = { items: new Map(), sequence: 0, versions: new Map() };

function addPage({ items, versions, sequence: after }: VaultCopy, { changes, cursor, hasMore }: Page): VaultCopy {
  if (cursor === undefined) throw new TypeError("The response has no cursor.");
  const { sequence } = cursor;
  // Otherwise it would be read again without end.
  if (hasMore && sequence <= after)
    throw new TypeError("The response has more after it, and its cursor has not moved.");
  const listed = changes.flatMap(({ item }) => (item === undefined ? [] : [[item.itemId, item.version] as const]));
  return {
    items: changes.reduce((copied, { item }) => withItem(copied, item), new Map(items)),
    sequence,
    versions: new Map([...versions, ...listed]),
  };
}

/**
 * Adds the items of responses that are not pages, such as deletions'. The position stays: there may be changes before these that
 * the copy does not contain.
 */
function addItems(copy: VaultCopy, items: readonly Item[]): VaultCopy {
  return { ...copy, items: items.reduce(withItem, new Map(copy.items)) };
}

type Page = Pick<ListChangesResponse, "changes" | "cursor" | "hasMore">;

/** What is the same stays the same object: its content is not decrypted again. */
function withItem(items: Map<string, Item>, item: Item | undefined): Map<string, Item> {
  if (item !== undefined && isNewer(item, items.get(item.itemId))) items.set(item.itemId, item);
  return items;
}

/** A shredded item has the version of its tombstone. */
function isNewer(item: Item, known: Item | undefined): boolean {
  if (known === undefined || item.version !== known.version) return item.version > (known?.version ?? 0);
  return isShredded(item) && !isShredded(known);
}

const isShredded = ({ encryptedPayload }: Item) => encryptedPayload?.ciphertext === "";

/** The copy of a vault, and how current it is. */
export interface FeedSnapshot {
  readonly copy: VaultCopy;
  /**
   * `loading`: the copy is not complete yet. `offline`: the last call failed, and the next one follows. `lost`: the vault is gone, or the
   * person is not a member any more.
   */
  readonly state: "loading" | "live" | "offline" | "lost";
  /** When the copy was last complete, in milliseconds since the epoch. Undefined until it is. */
  readonly loadedAt: number | undefined;
  /** Why the last call failed. */
  readonly error: unknown;
  /** How often the copy was discarded because the server's history is another one, as after a restored backup. */
  readonly resyncs: number;
}

/** Follows the changes of a vault. */
export interface VaultFeed {
  readonly snapshot: () => FeedSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  /** Starts, or continues from the position of the copy. Does nothing once the vault is lost. */
  resume(): void;
  pause(): void;
  /** Adds the items of responses. */
  add(items: readonly Item[]): void;
}

export interface VaultFeedOptions {
  /** Lists the changes after a position. */
  list(afterSequence: number, signal: AbortSignal): Promise<Page>;
  /** Resolves when the vault may have changes after a position. */
  changed(sequence: number, signal: AbortSignal): Promise<void>;
  /** Resolves after a time in milliseconds. */
  sleep(ms: number): Promise<void>;
  /** The time in milliseconds since the epoch. Default: the clock of the browser. */
  now?(): number;
}

const firstBackOffMs = 500;
const longestBackOffMs = 8_000;

/** Creates the feed of a vault, paused. It calls again after every failure, and waits longer after each. */
export function createVaultFeed({ list, changed, sleep, now = Date.now }: VaultFeedOptions): VaultFeed {
  let current: FeedSnapshot = { copy: emptyCopy, state: "loading", loadedAt: undefined, error: undefined, resyncs: 0 };
  let running: AbortController | undefined;
  const listeners = new Set<() => void>();
  const set = (changes: Partial<FeedSnapshot>) => {
    current = { ...current, ...changes };
    for (const listener of listeners) listener();
  };

  /** Returns the milliseconds to wait before the next call. */
  const step = async (failures: number, signal: AbortSignal): Promise<number> => {
    try {
      // Only a complete copy waits for the next change: after a failure, the response shows at once that the server is back.
      if (current.state === "live") await changed(current.copy.sequence, signal);
      if (signal.aborted) return 0;
      const page = await list(current.copy.sequence, signal);
      if (signal.aborted) return 0;
      const copy = addPage(current.copy, page);
      if (page.hasMore) set({ copy, state: "loading", error: undefined });
      else set({ copy, state: "live", loadedAt: now(), error: undefined });
      return 0;
    } catch (error) {
      if (signal.aborted) return 0;
      const reason = explain(error).reference?.reason;
      if (reason === "VAULT_NOT_FOUND") {
        running?.abort();
        set({ copy: emptyCopy, state: "lost", error: undefined });
        return 0;
      }
      if (reason === "CURSOR_AHEAD") {
        set({ copy: emptyCopy, state: "loading", loadedAt: undefined, error: undefined, resyncs: current.resyncs + 1 });
        // A server that cannot decide on its history must not be called without a pause.
        return firstBackOffMs;
      }
      set({ state: "offline", error });
      return Math.min(firstBackOffMs * 2 ** failures, longestBackOffMs);
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      const ms = await step(failures, signal);
      failures = ms === 0 ? 0 : failures + 1;
      if (ms > 0) await sleep(ms);
    }
  };

  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume() {
      if (running !== undefined) return;
      running = new AbortController();
      set({ state: "loading", error: undefined });
      void run(running.signal);
    },
    pause() {
      if (current.state === "lost") return;
      running?.abort();
      running = undefined;
    },
    add: (items) => set({ copy: addItems(current.copy, items) }),
  };
}
