import { isPlatformError } from "@platform-rpc/client";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import { type BulkRun, type CallResult, startBulkRun } from "../bulk/bulk-run.js";
import { divide } from "../bulk/divide.js";
import type { Skipped } from "../import-formats/format.js";
import { quoted } from "../import-formats/item-builder.js";
import type { Members } from "../session/console-context.js";
import type { SignDeletions } from "../vaults/sign-deletion.js";
import { batchesOf } from "./batches.js";
import type { SealedItem } from "./import-tasks.js";

/** Why a run waits. It goes on by itself. */
export type WaitingFor = "network" | "rate" | undefined;

interface ItemResult {
  /** Whether it was stored, or deleted. */
  readonly done: boolean;
  /** Why the server did not do it, and will not. */
  readonly rejected?: Skipped | undefined;
}

export interface ImportRun extends BulkRun<unknown, ItemResult> {
  readonly startedAt: number;
  /** Why it waits now. The subscribers are notified when it changes. */
  readonly waitingFor: () => WaitingFor;
  /** Returns what is not done, because the run was stopped, or because calls failed. */
  readonly left: () => readonly Skipped[];
}

interface ImportOptions {
  readonly members: Members;
  readonly vaultId: string;
  readonly items: readonly WrittenItem[];
  seal(items: readonly WrittenItem[]): Promise<readonly SealedItem[]>;
}

export function startImport({ members, vaultId, items, seal }: ImportOptions): ImportRun {
  // The same ciphertext is sent again after a lost response: another one would be another content of the item.
  const sealed = new Map<WrittenItem, SealedItem>();
  const sealOnce = async (batch: readonly WrittenItem[]) => {
    const missing = batch.filter((item) => !sealed.has(item));
    const made = missing.length === 0 ? [] : await seal(missing);
    for (const [index, item] of missing.entries()) {
      const one = made[index];
      if (one !== undefined) sealed.set(item, one);
    }
    return batch.flatMap((item) => sealed.get(item) ?? []);
  };
  return startRun({
    targets: items,
    divide: batchesOf,
    nameOf: ({ title }) => quoted(title),
    why: {
      stopped: "The import was stopped before it.",
      failed: "The server did not say that it stored it.",
    },
    async call(batch) {
      const sent = await sealOnce(batch);
      const { outcomes } = await members.putItems({ vaultId, items: [...sent] });
      return batch.map((item, index) => {
        sealed.delete(item);
        const reason = outcomes[index]?.reason ?? "UNKNOWN";
        if (reason === "") checkAnswer(sent[index] ?? item, outcomes[index]?.item);
        // Nobody else knows the id of a new item.
        const isNew = item.baseVersion === 0;
        if (reason === "" || (reason === "VERSION_CONFLICT" && isNew)) return { done: true };
        if (reason === "VERSION_CONFLICT") {
          const why = "It was changed in the meantime. Choose the file again to see what it still lacks.";
          return { done: false, rejected: { where: quoted(item.title), why } };
        }
        const why = `The server did not store the item (${reason}). Import it again.`;
        return { done: false, rejected: { where: quoted(item.title), why } };
      });
    },
  });
}

interface UndoOptions {
  readonly members: Members;
  readonly vaultId: string;
  /** The items. Those that were never stored, or were deleted, are ignored. */
  readonly itemIds: readonly string[];
  /** The versions of those that nobody has changed since. Default: 1. A restored backup raises them. */
  readonly versions: ReadonlyMap<string, number>;
  readonly sign: SignDeletions;
}

/** Deletes what was imported, except what somebody has changed since. */
export function startUndo({ members, vaultId, itemIds, versions, sign }: UndoOptions): ImportRun {
  return startRun({
    targets: itemIds,
    divide,
    nameOf: (itemId) => `Item ${itemId}`,
    why: { stopped: "It is not deleted yet.", failed: "The server did not say that it deleted it." },
    async call(batch) {
      const items = batch.map((itemId) => ({ itemId, baseVersion: versions.get(itemId) ?? 1 }));
      const { outcomes } = await members.deleteItems({ vaultId, items: await sign(vaultId, items) });
      return items.map(({ itemId, baseVersion }, index) => {
        const { reason = "UNKNOWN", item } = outcomes[index] ?? {};
        if (reason === "") return { done: checkAnswer({ itemId, baseVersion }, item).deleted };
        if (reason === "ITEM_NOT_FOUND" || reason === "ITEM_SHREDDED") return { done: false };
        const why = "It was changed after the import, and is still there.";
        return { done: false, rejected: { where: `Item ${itemId}`, why } };
      });
    },
  });
}

/** How long a run waits if the server did not say, in milliseconds. */
const defaultDelayMs = 2_000;

const unreachable: ReadonlySet<string> = new Set(["NETWORK_ERROR", "UNAVAILABLE", "DEADLINE_EXCEEDED"]);

interface RunOptions<Item> {
  readonly targets: readonly Item[];
  divide(items: readonly Item[]): readonly (readonly Item[])[];
  nameOf(item: Item): string;
  readonly why: { readonly stopped: string; readonly failed: string };
  call(batch: readonly Item[]): Promise<readonly ItemResult[]>;
}

function startRun<Item>({ targets, divide, nameOf, why, call: callOnce }: RunOptions<Item>): ImportRun {
  const sleepers = new Set<() => void>();
  const listeners = new Set<() => void>();
  let waitingFor: WaitingFor;
  const wait = (reason: WaitingFor) => {
    if (waitingFor === reason) return;
    waitingFor = reason;
    for (const listener of listeners) listener();
  };
  const wake = () => {
    for (const end of [...sleepers]) end();
  };
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        sleepers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      sleepers.add(end);
    });
  const call = async (batch: readonly Item[]): Promise<CallResult<ItemResult>> => {
    try {
      const results = await callOnce(batch);
      wait(undefined);
      return { outcomes: results.map((result) => ({ outcome: "done", result })) };
    } catch (error) {
      const failed = { outcomes: batch.map(() => ({ outcome: "failed", error }) as const) };
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isPlatformError(cause)) return failed;
      const { reason = "", retryAfterMs: laterMs = defaultDelayMs } = cause;
      if (reason !== "RATE_LIMITED" && !unreachable.has(reason)) return failed;
      wait(reason === "RATE_LIMITED" ? "rate" : "network");
      return { laterMs };
    }
  };
  const run = startBulkRun<Item, ItemResult>({ targets, divide, call, sleep });
  return {
    ...run,
    startedAt: performance.now(),
    waitingFor: () => waitingFor,
    left() {
      const { outcomes } = run.snapshot();
      return targets.flatMap((item) => {
        const ended = outcomes.get(item)?.outcome;
        if (ended === "done") return [];
        return [{ where: nameOf(item), why: ended === undefined ? why.stopped : why.failed }];
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      const unsubscribe = run.subscribe(listener);
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    },
    stop() {
      run.stop();
      wake();
    },
  };
}

/** Returns how many items were stored or deleted, those that were rejected, and why a call failed: undefined if none has. */
export function totalsOf({ outcomes }: ReturnType<ImportRun["snapshot"]>) {
  let done = 0;
  let error: unknown;
  const rejected: Skipped[] = [];
  for (const ended of outcomes.values()) {
    if (ended.outcome === "done") {
      if (ended.result.done) done += 1;
      if (ended.result.rejected !== undefined) rejected.push(ended.result.rejected);
    } else if (ended.outcome === "failed") error = ended.error;
  }
  return { done, rejected, error };
}
