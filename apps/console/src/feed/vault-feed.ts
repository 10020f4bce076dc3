import type { Item } from "@platform-rpc/types";
import type { ListChangesResponse } from "@platform-rpc/types-internal/accounts";
import { explain } from "../elements/explain.js";
import type { DiscardedCopy, KeptVault } from "./kept-copies.js";

/** The copy of a vault in this browser, and the position up to which it is complete. */
interface VaultCopy {
  readonly items: ReadonlyMap<string, Item>;
  readonly sequence: number;
  /** The versions of the items at the position: without what was only added. */
  readonly versions: ReadonlyMap<string, number>;
  /** Whether the browser has kept a part of it since the page was left. */
  readonly wasKept: boolean;
}

const emptyCopy: VaultCopy = { items: new Map(), sequence: 0, versions: new Map(), wasKept: false };

/** Adds the items that are listed after the position of the copy, up to another one. */
function addListed(copy: VaultCopy, items: readonly Item[], sequence: number): VaultCopy {
  const versions = new Map(copy.versions);
  for (const { itemId, version } of items) versions.set(itemId, version);
  return { ...addItems(copy, items), sequence, versions };
}

/** Returns how a page contradicts the copy: what follows a position is never before it, and only raises versions. */
function contradictionOf(
  { sequence, versions }: VaultCopy,
  items: readonly Item[],
  end: number,
): DiscardedCopy["what"] | undefined {
  if (end < sequence) return "behind";
  return items.some(({ itemId, version }) => version < (versions.get(itemId) ?? 0)) ? "older" : undefined;
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
function withItem(items: Map<string, Item>, item: Item): Map<string, Item> {
  if (isNewer(item, items.get(item.itemId))) items.set(item.itemId, item);
  return items;
}

/** A shredded item has the version of its tombstone. */
function isNewer(item: Item, known: Item | undefined): boolean {
  if (known === undefined || item.version !== known.version) return item.version > (known?.version ?? 0);
  return isShredded(item) && !isShredded(known);
}

const isShredded = ({ encryptedPayload }: Item) => encryptedPayload?.ciphertext === "";

export interface FeedSnapshot {
  readonly copy: VaultCopy;
  /**
   * `loading`: the copy is not complete yet. `offline`: the last call failed, and the next one follows. `lost`: the vault is gone, or the
   * person is not a member any more.
   */
  readonly state: "loading" | "live" | "offline" | "lost";
  /** When the copy was last complete, in milliseconds since the epoch. Undefined until it is. */
  readonly loadedAt: number | undefined;
  /** When what the browser has kept was last complete. Undefined: it has kept nothing. */
  readonly keptAt?: number | undefined;
  readonly error: unknown;
  /** How often the copy was discarded because the server's history is another one, as after a restored backup. */
  readonly resyncs: number;
  /** The last copy that was discarded because of that, also before the page was loaded. Undefined: none was. */
  readonly discarded: DiscardedCopy | undefined;
}

export interface VaultFeedOptions {
  /** Lists the changes after a position. */
  list(afterSequence: number, signal: AbortSignal): Promise<Page>;
  /** Resolves when the vault may have changes after a position. */
  changed(sequence: number, signal: AbortSignal): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** What the browser keeps of the vault. Default: nothing. */
  readonly kept?: KeptVault;
  /** The time in milliseconds since the epoch. Default: the clock of the browser. */
  now?(): number;
}

const firstBackOffMs = 500;
const longestBackOffMs = 8_000;

export type VaultFeed = ReturnType<typeof createVaultFeed>;

/** Creates the feed of a vault, paused. It calls again after every failure, and waits longer after each. */
export function createVaultFeed({ list, changed, sleep, kept, now = Date.now }: VaultFeedOptions) {
  const nothing = { copy: emptyCopy, state: "loading", loadedAt: undefined, error: undefined } as const;
  let current: FeedSnapshot = { ...nothing, resyncs: 0, discarded: undefined };
  let running: AbortController | undefined;
  let isRestored = kept === undefined;
  const listeners = new Set<() => void>();
  const set = (changes: Partial<FeedSnapshot>) => {
    current = { ...current, ...changes };
    for (const listener of listeners) listener();
  };

  /** What the browser keeps is shown while the server is asked for what came after it. */
  const restore = async (signal: AbortSignal) => {
    const found = await kept?.read((items) => {
      if (!isRestored && !signal.aborted) set({ copy: addItems(current.copy, items) });
    });
    if (isRestored || signal.aborted) return;
    isRestored = true;
    // Also without the few items that were read, if the others cannot be.
    if (found === undefined) return set({ copy: emptyCopy });
    const copy = { ...addListed(current.copy, found.items, found.sequence), wasKept: true };
    set({ copy, discarded: found.discarded, keptAt: found.at });
  };

  const discard = (what: DiscardedCopy["what"]) => {
    isRestored = true;
    const discarded = { what, at: now(), sequence: current.copy.sequence };
    kept?.discard(discarded);
    set({ ...nothing, resyncs: current.resyncs + 1, discarded });
  };

  const step = async (failures: number, signal: AbortSignal): Promise<number> => {
    try {
      // Only a complete copy waits for the next change: after a failure, the response shows at once that the server is back.
      if (current.state === "live") await changed(current.copy.sequence, signal);
      if (signal.aborted) return 0;
      const { copy } = current;
      const { changes, cursor, hasMore } = await list(copy.sequence, signal);
      if (signal.aborted || copy.sequence !== current.copy.sequence) return 0;
      if (cursor === undefined) throw new TypeError("The response has no cursor.");
      const { sequence } = cursor;
      // Otherwise it would be read again without end.
      if (hasMore && sequence <= copy.sequence)
        throw new TypeError("The response has more after it, and its cursor has not moved.");
      const items = changes.flatMap(({ item }) => item ?? []);
      const contradiction = contradictionOf(copy, items, sequence);
      if (contradiction !== undefined) {
        discard(contradiction);
        return firstBackOffMs;
      }
      kept?.add(items, copy.sequence, sequence);
      const listed = { copy: addListed(current.copy, items, sequence), error: undefined };
      if (hasMore) set({ ...listed, state: "loading" });
      else set({ ...listed, state: "live", loadedAt: now() });
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
        discard("behind");
        // A server that cannot decide on its history must not be called without a pause.
        return firstBackOffMs;
      }
      set({ state: "offline", error });
      return Math.min(firstBackOffMs * 2 ** failures, longestBackOffMs);
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    if (!isRestored) await restore(signal);
    while (!signal.aborted) {
      const ms = await step(failures, signal);
      failures = ms === 0 ? 0 : failures + 1;
      if (ms > 0) await sleep(ms);
    }
  };

  const resume = () => {
    if (running !== undefined) return;
    running = new AbortController();
    set({ state: "loading", error: undefined });
    void run(running.signal);
  };
  const pause = () => {
    if (current.state === "lost") return;
    running?.abort();
    running = undefined;
  };

  return {
    snapshot: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts, or continues from the position of the copy. Does nothing once the vault is lost. */
    resume,
    pause,
    add(items: readonly Item[]) {
      // The server lists no change of an item when it destroys its content.
      kept?.erase(items.filter(isShredded));
      set({ copy: addItems(current.copy, items) });
    },
    /** Discards the copy, and reads the vault from the start. */
    discard(what: DiscardedCopy["what"]) {
      pause();
      discard(what);
      resume();
    },
  };
}
