import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { ImportedItem, Skipped } from "../import-formats/format.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";
import { writtenItems } from "./batches.js";
import { createImportJournal, type ImportRecord } from "./import-journal.js";
import { type ImportRun, startImport, startUndo } from "./import-run.js";
import { sealItems } from "./import-worker.js";

export interface ActiveImport {
  readonly record: ImportRecord;
  /** Undefined for one that was interrupted: the page was reloaded while it ran. */
  readonly run: ImportRun | undefined;
  /** Whether the person cancelled the run: what is left of it is not imported any more. */
  readonly cancelled: boolean;
  /** Undefined until the person undoes the import. */
  readonly undo: ImportRun | undefined;
}

export interface WantedImport {
  readonly items: readonly ImportedItem[];
  /** New versions of stored items. */
  readonly changes: readonly WrittenItem[];
  readonly skipped: readonly Skipped[];
}

/** Outlives the page of the import: other pages can be used while it runs. */
let current: ActiveImport | undefined;
let loaded: Promise<void> | undefined;
const listeners = new Set<() => void>();

function setCurrent(next: ActiveImport | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useImport() {
  const { session, members } = useConsole();
  const { rows } = useLibrary();
  const { principalId, tenantId, keys } = session;
  const active = useSyncExternalStore(subscribe, () => current);
  const [isLoaded, setIsLoaded] = useState(false);
  const journal = useMemo(() => createImportJournal(principalId), [principalId]);
  const listKey = keys.member.draftsKey;
  const latest = active?.undo ?? active?.run;
  const state = useSyncExternalStore(latest?.subscribe ?? subscribe, () => latest?.snapshot().state ?? "ended");
  useEffect(() => {
    loaded ??= journal.read(listKey).then((record) => {
      if (record !== undefined) setCurrent({ record, run: undefined, cancelled: false, undo: undefined });
    });
    void loaded.then(() => setIsLoaded(true));
  }, [journal, listKey]);
  return {
    active,
    isLoaded,
    /** Whether another import can start: one that has ended, or that was interrupted, does not hold it up. */
    isIdle: state === "ended",
    /** Stores and changes items. @throws Error if the browser cannot keep the ids of the items */
    async start({ vaultId, key }: OwnVault, { items, changes, skipped }: WantedImport) {
      const fresh = writtenItems(items);
      const written = [...fresh, ...changes];
      const itemIds = fresh.map(({ itemId }) => itemId);
      const titlesOf = (some: readonly WrittenItem[]) => some.map(({ title }) => title);
      const list = { titles: titlesOf(fresh), skipped, changed: titlesOf(changes) };
      const record = { vaultId, itemIds, startedAt: new Date().toISOString(), list };
      await journal.keep(listKey, record);
      const sealer = { tenantId, principalId, keys, vaultId, key };
      const seal = (some: readonly WrittenItem[]) => sealItems(sealer, some);
      const run = startImport({ members, vaultId, items: written, seal });
      setCurrent({ record, run, cancelled: false, undo: undefined });
    },
    /** Ends the import. What was stored stays until the person undoes it. */
    cancel() {
      active?.run?.stop();
      if (active !== undefined) setCurrent({ ...active, cancelled: true });
    },
    undo() {
      if (active === undefined) return;
      const { vaultId, itemIds } = active.record;
      // A restored backup raises the versions of items. What is sealed in one that was only imported stays the first.
      const imported = rows.filter((row) => row.vaultId === vaultId && row.content?.revision?.version === 1);
      const versions = new Map(imported.map(({ item }) => [item.itemId, item.version]));
      const sign = createSignDeletions(session);
      setCurrent({ ...active, undo: startUndo({ members, vaultId, itemIds, versions, sign }) });
    },
    /** Keeps what was imported. */
    async close() {
      await journal.forget();
      setCurrent(undefined);
    },
  };
}

export function useRun({ subscribe, snapshot, waitingFor }: ImportRun) {
  const waiting = useSyncExternalStore(subscribe, waitingFor);
  return { snapshot: useSyncExternalStore(subscribe, snapshot), waitingFor: waiting };
}
