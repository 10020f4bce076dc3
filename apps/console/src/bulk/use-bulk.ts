import { createClient } from "@connectrpc/connect";
import { isPlatformError } from "@platform-rpc/client";
import { type Item, VaultService } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useState, useSyncExternalStore } from "react";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { type BulkRun, type Later, type Outcome, startBulkRun } from "./bulk-run.js";

/** A run over items. Its result is the new state of each. */
export interface ItemRun extends BulkRun<ItemRow, Item> {
  readonly kind: "delete" | "restore";
  readonly targets: readonly ItemRow[];
}

/** Deletes and restores many items. */
export interface BulkChanges {
  /** The last run, until it is closed. */
  readonly run: ItemRun | undefined;
  readonly busy: boolean;
  /** Deletes items that are still at their versions. */
  remove(rows: readonly ItemRow[]): void;
  /** Restores what the last run has deleted. Undefined if there is nothing to restore. */
  readonly undo: (() => void) | undefined;
  readonly close: () => void;
}

/** How often the items of responses are added to the page, in milliseconds: each time, the table is ordered again. */
const addEveryMs = 250;

/** Returns the changes of many items. */
export function useBulk(): BulkChanges {
  const { calls } = useConsole();
  const { add } = useLibrary();
  const [run, setRun] = useState<ItemRun>();
  const state = useSyncExternalStore(run?.subscribe ?? subscribeToNothing, () => run?.snapshot().state);

  const start = (kind: ItemRun["kind"], targets: readonly ItemRow[]) => {
    const vault = createClient(VaultService, calls.api);
    const members = createClient(MemberVaultService, calls.member);
    const change = async ({ vaultId, item: { itemId, version: baseVersion } }: ItemRow): Promise<Item> => {
      const request = { vaultId, itemId, baseVersion };
      const { item } = await (kind === "delete" ? vault.deleteItem(request) : members.restoreItem(request));
      if (item === undefined) throw new Error(`The response for ${itemId} contains no item.`);
      return item;
    };
    const changed = collect(add);
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const call = (row: ItemRow) => callOutcome(change(row).then((item) => changed(row.vaultId, item)));
    setRun({ kind, targets, ...startBulkRun<ItemRow, Item>({ targets, call, sleep }) });
  };

  const canUndo = run?.kind === "delete" && state === "ended";
  return {
    run,
    busy: run !== undefined && state !== "ended",
    remove: (rows) => start("delete", rows),
    undo: canUndo ? () => start("restore", doneRows(run)) : undefined,
    close: () => setRun(undefined),
  };
}

/** Returns what a run has changed, in its new state. */
function doneRows({ snapshot }: ItemRun): readonly ItemRow[] {
  return [...snapshot().outcomes].flatMap(([{ vaultId, content }, ended]) =>
    ended.outcome === "done" ? [rowOf(vaultId, ended.result, content)] : [],
  );
}

/** Returns a function that passes its items on in batches. */
function collect(add: (vaultId: string, items: readonly Item[]) => void): (vaultId: string, item: Item) => Item {
  const collected = new Map<string, Item[]>();
  return (vaultId, item) => {
    if (collected.size === 0) {
      setTimeout(() => {
        for (const [vault, items] of collected) add(vault, items);
        collected.clear();
      }, addEveryMs);
    }
    collected.set(vaultId, [...(collected.get(vaultId) ?? []), item]);
    return item;
  };
}

const subscribeToNothing = () => () => {};

const defaultDelayMs = 1000;

/** Waits for a call that changes an item, and returns how it ended. Never rejects. */
async function callOutcome<Result>(calling: Promise<Result>): Promise<Outcome<Result> | Later> {
  try {
    return { outcome: "done", result: await calling };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isPlatformError(cause, "VERSION_CONFLICT")) return { outcome: "conflict" };
    if (isPlatformError(cause, "RATE_LIMITED")) return { outcome: "later", ms: cause.retryAfterMs ?? defaultDelayMs };
    return { outcome: "failed", error };
  }
}
