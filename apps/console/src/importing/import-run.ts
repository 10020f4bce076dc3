import { createClient, type Transport } from "@connectrpc/connect";
import { isPlatformError } from "@platform-rpc/client";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { type BulkRun, type Later, type Outcome, startBulkRun } from "../bulk/bulk-run.js";
import type { Sealer, WrittenItem } from "../editing/seal-written.js";
import type { Skipped } from "../import-formats/format.js";
import { quoted } from "../import-formats/item-builder.js";
import { batchesOf, idBatchesOf } from "./batches.js";
import type { SealedItem } from "./import-tasks.js";

/** Why a run waits. It goes on by itself. */
export type WaitingFor = "network" | "rate" | undefined;

/** What became of the items of one call. */
export interface BatchResult {
  /** How many items were stored, or deleted. */
  readonly done: number;
  readonly rejected: readonly Skipped[];
}

type Batch = readonly unknown[];

/** A run over batches of items, which can be paused. */
export interface ImportRun extends BulkRun<Batch, BatchResult> {
  /** How many items it has. */
  readonly items: number;
  readonly startedAt: number;
  /** Why it waits now. The subscribers are notified when it changes. */
  readonly waitingFor: () => WaitingFor;
}

interface ImportOptions {
  readonly member: Transport;
  readonly sealer: Sealer;
  readonly items: readonly WrittenItem[];
  /** Encrypts and signs items. */
  seal(sealer: Sealer, items: readonly WrittenItem[]): Promise<readonly SealedItem[]>;
}

/** Encrypts items, and stores them. */
export function startImport({ member, sealer, items, seal }: ImportOptions): ImportRun {
  const members = createClient(MemberVaultService, member);
  // The same ciphertext is sent again after a lost response: another one would be another content of the item.
  const sealing = new Map<Batch, Promise<readonly SealedItem[]>>();
  return startRun(batchesOf(items), items.length, async (batch) => {
    const sealed = sealing.get(batch) ?? seal(sealer, batch);
    sealing.set(batch, sealed);
    const { outcomes } = await members.putItems({ vaultId: sealer.vaultId, items: [...(await sealed)] });
    sealing.delete(batch);
    const rejected = batch.flatMap(({ title }, index) => {
      const reason = outcomes[index]?.reason ?? "UNKNOWN";
      // Nobody else knows the id.
      if (reason === "" || reason === "VERSION_CONFLICT") return [];
      return [{ where: quoted(title), why: `The server did not store the item (${reason}). Import it again.` }];
    });
    return { done: batch.length - rejected.length, rejected };
  });
}

interface UndoOptions {
  readonly member: Transport;
  readonly vaultId: string;
  /** The items. Those that were never stored, or were deleted, are ignored. */
  readonly itemIds: readonly string[];
}

/** Deletes what was imported, except what somebody has changed since. */
export function startUndo({ member, vaultId, itemIds }: UndoOptions): ImportRun {
  const members = createClient(MemberVaultService, member);
  return startRun(idBatchesOf(itemIds), itemIds.length, async (batch) => {
    const items = batch.map((itemId) => ({ itemId, baseVersion: 1 }));
    const { outcomes } = await members.deleteItems({ vaultId, items });
    const rejected = outcomes.flatMap(({ reason }, index) =>
      reason === "" || reason === "ITEM_NOT_FOUND" || reason === "ITEM_SHREDDED"
        ? []
        : [{ where: `Item ${batch[index] ?? ""}`, why: "It was changed after the import, and is still there." }],
    );
    return { done: outcomes.filter(({ reason }) => reason === "").length, rejected };
  });
}

/** How long a run waits if the server did not say, in milliseconds. */
const defaultDelayMs = 2_000;

const unreachable: ReadonlySet<string> = new Set(["NETWORK_ERROR", "UNAVAILABLE", "DEADLINE_EXCEEDED"]);

function startRun<Item>(
  targets: readonly (readonly Item[])[],
  items: number,
  callOnce: (batch: readonly Item[]) => Promise<BatchResult>,
): ImportRun {
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
  const call = async (batch: readonly Item[]): Promise<Outcome<BatchResult> | Later> => {
    try {
      const result = await callOnce(batch);
      wait(undefined);
      return { outcome: "done", result };
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isPlatformError(cause)) return { outcome: "failed", error };
      const { reason = "", retryAfterMs: ms = defaultDelayMs } = cause;
      if (reason !== "RATE_LIMITED" && !unreachable.has(reason)) return { outcome: "failed", error };
      wait(reason === "RATE_LIMITED" ? "rate" : "network");
      return { outcome: "later", ms };
    }
  };
  const run = startBulkRun<readonly Item[], BatchResult>({ targets, call, sleep });
  return {
    ...run,
    items,
    startedAt: performance.now(),
    waitingFor: () => waitingFor,
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

/** What a run has done until now. */
export interface RunTotals extends BatchResult {
  /** Why a call failed. Undefined if none has. */
  readonly error: unknown;
}

export function totalsOf({ outcomes }: ReturnType<ImportRun["snapshot"]>): RunTotals {
  let done = 0;
  let error: unknown;
  const rejected: Skipped[] = [];
  for (const ended of outcomes.values()) {
    if (ended.outcome === "done") {
      done += ended.result.done;
      rejected.push(...ended.result.rejected);
    } else if (ended.outcome === "failed") error = ended.error;
  }
  return { done, rejected, error };
}
