import type { Item } from "@platform-rpc/types";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { isTagged } from "../items/tags.js";
import { useConsole } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import { useLibrary } from "../vaults/library.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";
import type { ItemChange, ItemRun, SealItem } from "./start-item-run.js";

export type BulkChanges = ReturnType<typeof useBulk>;

export function useBulk() {
  const { session, members } = useConsole();
  const { add, vaults, rows } = useLibrary();
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  }, [rows]);
  const [run, setRun] = useState<ItemRun>();
  const [error, setError] = useState<unknown>();
  const state = useSyncExternalStore(run?.subscribe ?? subscribeToNothing, () => run?.snapshot().state);

  // No part of the first load.
  const start = async (change: ItemChange, targets: readonly ItemRow[]) => {
    setError(undefined);
    try {
      const [{ startItemRun }, { sealWritten }, { addOwnWrite }, { reportSaved }] = await Promise.all([
        import("./start-item-run.js"),
        import("../editing/seal-written.js"),
        import("../opening/own-writes.js"),
        import("../detail/changed-by.js"),
      ]);
      const seal: SealItem = async (vaultId, written) => {
        const key = vaults?.find((vault) => vault.vaultId === vaultId)?.key;
        const sealed = await sealWritten({ ...session, vaultId, key }, written);
        addOwnWrite(sealed.encryptedPayload);
        return sealed;
      };
      const report = (vaultId: string, items: readonly Item[]) => {
        add(vaultId, items);
        for (const item of items) reportSaved({ vaultId, item });
      };
      const newest = (row: ItemRow) => latest.current.find(({ key }) => key === row.key) ?? row;
      setRun(startItemRun(change, targets, { members, sign: createSignDeletions(session), seal, add: report, newest }));
    } catch {
      setError(new Error("Nothing was changed: a part of the page could not be loaded. Try again."));
      void reloadIfUpdated();
    }
  };

  const inverse = state === "ended" ? run?.inverse : undefined;
  return {
    run,
    error,
    busy: run !== undefined && state !== "ended",
    remove: (rows: readonly ItemRow[]) => void start({ kind: "delete" }, rows),
    restore: (rows: readonly ItemRow[]) => void start({ kind: "restore" }, rows),
    /** Adds tags to items that lack some of them, or removes them from those that have some. */
    tag(rows: readonly ItemRow[], tags: readonly string[], on: boolean) {
      const lacking = rows.filter(({ content }) => !isTagged(content?.tags ?? [], tags, on));
      void start({ kind: on ? "tag" : "untag", tags }, lacking);
    },
    /** Undoes the last run. Undefined if it cannot be undone. */
    undo: run && inverse && (() => void start(inverse, doneRows(run))),
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
