import type { Item } from "@platform-rpc/types";
import {
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { loadPartsWhileIdle } from "../elements/part-boundary.js";
import type { KeptCopies } from "../feed/kept-copies.js";
import type { FeedSnapshot } from "../feed/vault-feed.js";
import type { VaultWatch } from "../feed/vault-watch.js";
import { createRowOrder, createRows, type ItemRow } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import type { OwnVault } from "./own-vault.js";
import { throttle } from "./throttle.js";
import { useHeads } from "./use-heads.js";
import { useVaults } from "./use-vaults.js";
import { createVaultCopies, type VaultCopy } from "./vault-copy.js";

export interface Library {
  /** Undefined until they are listed, unless the browser has kept them. */
  readonly vaults: readonly OwnVault[] | undefined;
  readonly isListed: boolean;
  readonly error: unknown;
  /** The items of all vaults with the deleted ones, in their order. */
  readonly rows: readonly ItemRow[];
  /** By the ids of the vaults. */
  readonly feeds: ReadonlyMap<string, FeedSnapshot>;
  /** Why the copies of vaults should not be relied on, in words, by the ids of the vaults. */
  readonly doubts: ReadonlyMap<string, string>;
  /** Knows whether the server answers. */
  readonly watch: VaultWatch;
  /** What stays in the browser when the page is left. */
  readonly kept: KeptCopies;
  readonly again: () => Promise<void>;
  add(vaultId: string, items: readonly Item[]): void;
}

const LibraryContext = createContext<Library | undefined>(undefined);

export function useLibrary(): Library {
  const library = useContext(LibraryContext);
  if (library === undefined) throw new TypeError("useLibrary needs a LibraryProvider.");
  return library;
}

export function LibraryProvider({ children }: { readonly children: ReactNode }) {
  const { session, members } = useConsole();
  const [opened] = useState(() => createVaultCopies(session, members));
  const { vaults, isListed = false, error, again } = useVaults(opened.kept);
  const [order] = useState(createRowOrder);
  const [rowOf] = useState(createRows);
  const wanted = useStable(vaults?.map(({ vaultId, key }) => ({ vaultId, key })) ?? []);
  const copies = useMemo(() => wanted.map(opened.open), [wanted, opened]);
  const joined = useMemo(() => joinCopies(copies), [copies]);
  const revisions = useRevisions(joined);
  useEffect(() => {
    for (const { feed } of copies) feed.resume();
    return () => {
      for (const { feed } of copies) feed.pause();
    };
  }, [copies]);
  const { watch } = opened;
  useEffect(() => watch.start(), [watch]);
  // Another tab or device has created a vault, or another person has shared or withdrawn one.
  const there = useSyncExternalStore(watch.subscribe, () => idsOf(Object.keys(watch.snapshot().positions ?? {})));
  const listed = vaults && idsOf(vaults.map(({ vaultId }) => vaultId));
  useEffect(() => {
    if (there !== noIds && listed !== undefined && there !== listed) void again();
  }, [there, listed, again]);
  const lost = copies.some(({ feed }) => feed.snapshot().state === "lost");
  useEffect(() => {
    if (lost) void again();
  }, [lost, again]);
  const doubts = useHeads(isListed ? vaults : undefined, copies);
  const library = useMemo<Library>(() => {
    // They say when there is something else to read.
    void revisions;
    const rows = copies.flatMap(({ vaultId, feed, contents }) =>
      [...feed.snapshot().copy.items.values()].map((item) => rowOf(vaultId, item, contents.get(item))),
    );
    // Who restores an item of a deleted vault has the vault back.
    const isDeleted = ({ vaultId, deleted }: OwnVault) =>
      deleted && !rows.some((row) => row.vaultId === vaultId && !row.item.deleted);
    return {
      vaults: vaults?.map((vault) => ({ ...vault, deleted: isDeleted(vault) })),
      isListed,
      error,
      rows: order(rows),
      feeds: new Map(copies.map(({ vaultId, feed }) => [vaultId, feed.snapshot()])),
      doubts,
      watch,
      kept: opened.kept,
      again,
      add: (vaultId, items) => opened.find(vaultId)?.feed.add(items),
    };
  }, [copies, revisions, vaults, isListed, error, order, rowOf, doubts, watch, again, opened]);
  const isShown =
    library.rows.every(({ content }) => content !== undefined) &&
    copies.every(({ feed }) => feed.snapshot().loadedAt !== undefined);
  useEffect(() => {
    // Before, the other parts of the page would take the network and the processor from what the person waits for.
    if (!isListed || !isShown) return;
    const prepare = async () => {
      await loadPartsWhileIdle();
      const { prepareOffline } = await import("../feed/prepare-offline.js");
      await prepareOffline(session, await opened.kept);
    };
    // What fails is tried again by the next page.
    prepare().catch(() => undefined);
  }, [isListed, isShown, session, opened]);
  return <LibraryContext value={library}>{children}</LibraryContext>;
}

const idsOf = (vaultIds: readonly string[]) => JSON.stringify(vaultIds.toSorted());
const noIds = idsOf([]);

/** Returns the value of the render before if it has the same JSON. */
function useStable<Value>(value: Value): Value {
  const [stable, setStable] = useState(value);
  if (JSON.stringify(stable) === JSON.stringify(value)) return stable;
  setStable(value);
  return value;
}

/**
 * Returns a value that changes when something of the vaults does. React renders the change in parts, and what the person does first:
 * `useSyncExternalStore` would keep the page busy until all of a long list is rendered.
 */
function useRevisions({ subscribe, revisions }: ReturnType<typeof joinCopies>): unknown {
  const [last, setLast] = useState(revisions);
  useEffect(() => {
    const read = () => startTransition(() => setLast(revisions()));
    // Something may have changed since the render.
    read();
    return subscribe(read);
  }, [subscribe, revisions]);
  return last;
}

/** How often what changes at once is shown, in milliseconds: while a large vault is loaded, and its titles are decrypted. */
const showEveryMs = 250;

/** Joins vaults to one store, whose snapshot is another one when that of a vault is. */
function joinCopies(copies: readonly VaultCopy[]) {
  let last: readonly unknown[] = [];
  return {
    subscribe(changed: () => void) {
      // The first titles do not wait for the time that passes after the first rows.
      const [onItems, onContents] = [throttle(changed, showEveryMs), throttle(changed, showEveryMs)];
      const stops = copies.flatMap(({ feed, contents }) => [feed.subscribe(onItems), contents.subscribe(onContents)]);
      return () => {
        for (const stop of stops) stop();
      };
    },
    revisions() {
      const now = copies.flatMap(({ feed, contents }) => [feed.snapshot(), contents.revision()]);
      if (now.length !== last.length || now.some((each, index) => each !== last[index])) last = now;
      return last;
    },
  };
}

/** Returns a function that finds the vault of an item. Undefined until it is listed. */
export function useVaultOf(): (of: { readonly vaultId: string | undefined }) => OwnVault | undefined {
  const { vaults } = useLibrary();
  return ({ vaultId }) => vaults?.find((vault) => vault.vaultId === vaultId);
}

/** Returns a vault of the person. Undefined until it is listed. */
export function useVault(vaultId: string | undefined): OwnVault | undefined {
  return useVaultOf()({ vaultId });
}
