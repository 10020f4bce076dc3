import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { ImportedItem, Skipped } from "../import-formats/format.js";
import { useConsole } from "../session/console-context.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { writtenItems } from "./batches.js";
import { createImportJournal, type ImportRecord } from "./import-journal.js";
import { type ImportRun, startImport, startUndo } from "./import-run.js";
import { sealItems } from "./import-worker.js";

/** An import that was started, until the person closes it. */
export interface ActiveImport {
  readonly record: ImportRecord;
  /** Undefined for one that was interrupted: the page was reloaded while it ran. */
  readonly run: ImportRun | undefined;
  /** Whether the person cancelled the run: what is left of it is not imported any more. */
  readonly cancelled: boolean;
  /** Undefined until the person undoes the import. */
  readonly undo: ImportRun | undefined;
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

/** Returns the import of the person, and what they can do with it. */
export function useImport() {
  const { session, calls } = useConsole();
  const { principalId, tenantId, keys } = session;
  const active = useSyncExternalStore(subscribe, () => current);
  const [isLoaded, setIsLoaded] = useState(false);
  const journal = useMemo(() => createImportJournal(principalId), [principalId]);
  const listKey = keys?.member?.draftsKey;
  useEffect(() => {
    loaded ??= journal.read(listKey).then((record) => {
      if (record !== undefined) setCurrent({ record, run: undefined, cancelled: false, undo: undefined });
    });
    void loaded.then(() => setIsLoaded(true));
  }, [journal, listKey]);
  return {
    active,
    isLoaded,
    /** Stores items. @throws Error if the keys are locked, or the browser cannot keep the ids of the items */
    async start({ vaultId, key }: OwnVault, items: readonly ImportedItem[], skipped: readonly Skipped[]) {
      if (listKey === undefined) throw new Error("Unlock your keys first.");
      const written = writtenItems(items);
      const itemIds = written.map(({ itemId }) => itemId);
      const list = { titles: written.map(({ title }) => title), skipped };
      const record = { vaultId, itemIds, startedAt: new Date().toISOString(), list };
      await journal.keep(listKey, record);
      const sealer = { tenantId, principalId, keys, vaultId, key };
      const run = startImport({ member: calls.member, sealer, items: written, seal: sealItems });
      setCurrent({ record, run, cancelled: false, undo: undefined });
    },
    /** Ends the import. What was stored stays until the person undoes it. */
    cancel() {
      active?.run?.stop();
      if (active !== undefined) setCurrent({ ...active, cancelled: true });
    },
    /** Deletes what was imported. */
    undo() {
      if (active === undefined) return;
      const { vaultId, itemIds } = active.record;
      setCurrent({ ...active, undo: startUndo({ member: calls.member, vaultId, itemIds }) });
    },
    /** Keeps what was imported. */
    async close() {
      await journal.forget();
      setCurrent(undefined);
    },
  };
}

/** Renders again while a run goes on. */
export function useRun({ subscribe, snapshot, waitingFor }: ImportRun) {
  const waiting = useSyncExternalStore(subscribe, waitingFor);
  return { snapshot: useSyncExternalStore(subscribe, snapshot), waitingFor: waiting };
}
