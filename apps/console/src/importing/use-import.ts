import { useEffect, useState, useSyncExternalStore } from "react";
import type { ImportedItem, Skipped } from "../import-formats/format.js";
import { useConsole } from "../session/console-context.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { writtenItems } from "./batches.js";
import { forgetImport, type ImportRecord, keepImport, keptImport } from "./import-journal.js";
import { type ImportRun, startImport, startUndo } from "./import-run.js";
import { sealItems } from "./import-worker.js";

/** An import that was started, until the person closes it. */
export interface ActiveImport {
  readonly record: ImportRecord;
  /** Undefined for one of which only the ids are known: the page was reloaded while it ran. */
  readonly run: ImportRun | undefined;
  /** Whether the person cancelled the run: what is left of it is not imported any more. */
  readonly cancelled: boolean;
  /** Undefined until the person undoes the import. */
  readonly undo: ImportRun | undefined;
  /** What was skipped before anything was sent. */
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

/** Returns the import of the person, and what they can do with it. */
export function useImport() {
  const { session, calls } = useConsole();
  const { principalId, tenantId, keys } = session;
  const active = useSyncExternalStore(subscribe, () => current);
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    loaded ??= keptImport(principalId).then((record) => {
      if (record !== undefined) setCurrent({ record, run: undefined, cancelled: false, undo: undefined, skipped: [] });
    });
    void loaded.then(() => setIsLoaded(true));
  }, [principalId]);
  return {
    active,
    isLoaded,
    /** Stores items. @throws Error if the browser cannot keep their ids */
    async start({ vaultId, key }: OwnVault, items: readonly ImportedItem[], skipped: readonly Skipped[]) {
      const written = writtenItems(items);
      const record = { vaultId, itemIds: written.map(({ itemId }) => itemId), startedAt: new Date().toISOString() };
      await keepImport(principalId, record);
      const sealer = { tenantId, principalId, keys, vaultId, key };
      const run = startImport({ member: calls.member, sealer, items: written, seal: sealItems });
      setCurrent({ record, run, cancelled: false, undo: undefined, skipped });
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
      await forgetImport(principalId);
      setCurrent(undefined);
    },
  };
}

/** Renders again while a run goes on. */
export function useRun({ subscribe, snapshot, waitingFor }: ImportRun) {
  const waiting = useSyncExternalStore(subscribe, waitingFor);
  return { snapshot: useSyncExternalStore(subscribe, snapshot), waitingFor: waiting };
}
