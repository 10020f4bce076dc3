import { useState, useSyncExternalStore } from "react";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import { useLibrary } from "../vaults/library.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";
import type { ItemRun } from "./start-item-run.js";

export interface BulkChanges {
  /** The last run, until it is closed. */
  readonly run: ItemRun | undefined;
  readonly busy: boolean;
  /** Why the last run could not start. */
  readonly error: unknown;
  /** Deletes items that are still at their versions. */
  remove(rows: readonly ItemRow[]): void;
  /** Restores items that are still at their versions. */
  restore(rows: readonly ItemRow[]): void;
  /** Restores what the last run has deleted. Undefined if there is nothing to restore. */
  readonly undo: (() => void) | undefined;
  readonly close: () => void;
}

export function useBulk(): BulkChanges {
  const { session, calls } = useConsole();
  const { add } = useLibrary();
  const [run, setRun] = useState<ItemRun>();
  const [error, setError] = useState<unknown>();
  const state = useSyncExternalStore(run?.subscribe ?? subscribeToNothing, () => run?.snapshot().state);

  // No part of the first load.
  const start = async (kind: ItemRun["kind"], targets: readonly ItemRow[]) => {
    setError(undefined);
    try {
      const { startItemRun } = await import("./start-item-run.js");
      setRun(startItemRun(kind, targets, calls, add, createSignDeletions(session)));
    } catch {
      setError(new Error("Nothing was changed: a part of the page could not be loaded. Try again."));
      void reloadIfUpdated();
    }
  };

  const canUndo = run?.kind === "delete" && state === "ended";
  return {
    run,
    error,
    busy: run !== undefined && state !== "ended",
    remove: (rows) => void start("delete", rows),
    restore: (rows) => void start("restore", rows),
    undo: canUndo ? () => void start("restore", doneRows(run)) : undefined,
    close: () => setRun(undefined),
  };
}

/** Returns what a run has changed, in its new state. */
function doneRows({ snapshot }: ItemRun): readonly ItemRow[] {
  return [...snapshot().outcomes].flatMap(([{ vaultId, content }, ended]) =>
    ended.outcome === "done" ? [rowOf(vaultId, ended.result, content)] : [],
  );
}

const subscribeToNothing = () => () => {};
