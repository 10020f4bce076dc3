import { useState, useSyncExternalStore } from "react";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import { useLibrary } from "../vaults/library.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";
import type { ItemChange, ItemRun, SealItem } from "./start-item-run.js";

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
  /** Adds a tag to items that lack it, or removes it from those that have it. */
  tag(rows: readonly ItemRow[], tag: string, on: boolean): void;
  /** Restores what the last run has deleted. Undefined if there is nothing to restore. */
  readonly undo: (() => void) | undefined;
  readonly close: () => void;
}

export function useBulk(): BulkChanges {
  const { session, calls } = useConsole();
  const { add, vaults } = useLibrary();
  const [run, setRun] = useState<ItemRun>();
  const [error, setError] = useState<unknown>();
  const state = useSyncExternalStore(run?.subscribe ?? subscribeToNothing, () => run?.snapshot().state);

  // No part of the first load.
  const start = async (change: ItemChange, targets: readonly ItemRow[]) => {
    setError(undefined);
    try {
      const [{ startItemRun }, { sealWritten }, { addOwnWrite }] = await Promise.all([
        import("./start-item-run.js"),
        import("../editing/seal-written.js"),
        import("../opening/own-writes.js"),
      ]);
      const seal: SealItem = async (vaultId, written) => {
        const key = vaults?.find((vault) => vault.vaultId === vaultId)?.key;
        const sealed = await sealWritten({ ...session, vaultId, key }, written);
        addOwnWrite(sealed.encryptedPayload);
        return sealed;
      };
      setRun(startItemRun(change, targets, calls, add, { sign: createSignDeletions(session), seal }));
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
    remove: (rows) => void start({ kind: "delete" }, rows),
    restore: (rows) => void start({ kind: "restore" }, rows),
    tag(rows, tag, on) {
      const isWanted = ({ content }: ItemRow) => content?.tags?.includes(tag) !== on;
      void start({ kind: on ? "tag" : "untag", tag }, rows.filter(isWanted));
    },
    undo: canUndo ? () => void start({ kind: "restore" }, doneRows(run)) : undefined,
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
