import { isPlatformError } from "@platform-rpc/client";
import { contentProblem, writeContent } from "@platform-rpc/items/item-content";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import type { Item } from "@platform-rpc/types";
import type { sealWritten } from "../editing/seal-written.js";
import { ItemError } from "../elements/explain.js";
import type { ItemRow } from "../items/item-rows.js";
import { isTagged } from "../items/tags.js";
import { writtenIn } from "../opening/open-content.js";
import type { Members } from "../session/console-context.js";
import type { SignDeletions } from "../vaults/sign-deletion.js";
import { type BulkRun, type CallResult, type Outcome, startBulkRun } from "./bulk-run.js";
import { divide } from "./divide.js";

/** A run over items. Its result is the new state of each. */
export interface ItemRun extends BulkRun<ItemRow, Item> {
  readonly kind: ItemChange["kind"];
  readonly targets: readonly ItemRow[];
  /** What undoes the run, done with what it has changed. Undefined: nothing does. */
  readonly inverse: ItemChange | undefined;
}

export type ItemChange = { readonly kind: "delete" | "restore" } | TagChange;

/** Writes each item again, as it is now, with some tags or without them. */
interface TagChange {
  readonly kind: "tag" | "untag";
  readonly tags: readonly string[];
}

/** What writes an item of a vault, sealed for it. Rejects with a sentence for people if it cannot. */
export type SealItem = (vaultId: string, written: WrittenItem) => ReturnType<typeof sealWritten>;

interface ItemRunOptions {
  readonly members: Members;
  readonly sign: SignDeletions;
  readonly seal: SealItem;
  add(vaultId: string, items: readonly Item[]): void;
  /** Returns an item as the page has it now. */
  newest(row: ItemRow): ItemRow;
}

/** How often the items of responses are added to the page, in milliseconds: each time, the table is ordered again. */
const addEveryMs = 250;

export function startItemRun(
  change: ItemChange,
  targets: readonly ItemRow[],
  { members, sign, seal, add, newest }: ItemRunOptions,
): ItemRun {
  const { kind } = change;
  const changed = collect(add);
  const remove = async (rows: readonly ItemRow[]): Promise<readonly Outcome<Item>[]> => {
    const vaultId = rows[0]?.vaultId ?? "";
    const items = rows.map(({ item: { itemId, version: baseVersion } }) => ({ itemId, baseVersion }));
    const { outcomes } = await members.deleteItems({ vaultId, items: await sign(vaultId, items) });
    return items.map((sent, index) => {
      const { item, reason = "UNKNOWN" } = outcomes[index] ?? {};
      if (item !== undefined) return { outcome: "done", result: changed(vaultId, checkAnswer(sent, item)) };
      return reason === "VERSION_CONFLICT"
        ? { outcome: "conflict" }
        : { outcome: "failed", error: new ItemError(reason) };
    });
  };
  // One at a time: a member has no operation that restores several.
  const restore = async ([row]: readonly ItemRow[]): Promise<readonly Outcome<Item>[]> => {
    if (row === undefined) return [];
    const { itemId, version: baseVersion } = row.item;
    const { item } = await members.restoreItem({ vaultId: row.vaultId, itemId, baseVersion });
    return item === undefined ? [] : [{ outcome: "done", result: changed(row.vaultId, item) }];
  };
  // Each has its own new content.
  const write = async ([row]: readonly ItemRow[]): Promise<readonly Outcome<Item>[]> => {
    if (row === undefined || !("tags" in change)) return [];
    const { vaultId, item: now, content } = newest(row);
    if (now.deleted) return [{ outcome: "conflict" }];
    const written = retagged({ item: now, content }, change);
    // A call whose response was lost has done it, or the person in another tab.
    if (isTagged(content?.tags ?? [], change.tags, kind === "tag")) return [{ outcome: "done", result: now }];
    const sealed = await seal(vaultId, written);
    const { item } = await members.putItem({ vaultId, ...sealed });
    return [{ outcome: "done", result: changed(vaultId, checkAnswer(sealed, item)) }];
  };
  // The page has not decrypted the item yet, or not got it from its last response.
  const isBehind = (row: ItemRow) => {
    const { item, content } = newest(row);
    return !item.deleted && (content === undefined || item.version < row.item.version);
  };
  const work = { delete: remove, restore, tag: write, untag: write }[kind];
  const call = async (rows: readonly ItemRow[]) =>
    "tags" in change && rows.some(isBehind) ? { laterMs: addEveryMs } : resultOf(rows, kind, work);
  return {
    kind,
    targets,
    inverse: inverseOf(change),
    ...startBulkRun<ItemRow, Item>({ targets, divide: kind === "delete" ? byVault : alone, call }),
  };
}

/** Adding tags has no inverse: some of the items may have had some of them. */
function inverseOf(change: ItemChange): ItemChange | undefined {
  if (change.kind === "delete") return { kind: "restore" };
  return change.kind === "untag" ? { kind: "tag", tags: change.tags } : undefined;
}

/** Returns an item with some tags, or without them. @throws Error if nobody should sign it unseen */
function retagged({ item, content }: Pick<ItemRow, "item" | "content">, { kind, tags }: TagChange): WrittenItem {
  if (content?.fields === undefined) throw new Error("It cannot be opened, and was not changed.");
  // The signature of the person would make it one that they have written.
  if (content.isUnverified || content.finding !== undefined) {
    throw new Error(
      "It is not verified, or contradicts what this browser has seen, and was not changed. Open it and check it first.",
    );
  }
  const others = content.tags?.filter((each) => !tags.includes(each)) ?? [];
  const written = { ...writtenIn(content), tags: kind === "tag" ? [...others, ...tags] : others };
  const problem = contentProblem(written);
  if (problem !== undefined) throw new Error(problem);
  const { itemId, version: baseVersion } = item;
  const text = writeContent(written);
  return { itemId, baseVersion, kind: item.kind, title: written.title, text, replaces: content.revision };
}

function byVault(rows: readonly ItemRow[]): readonly (readonly ItemRow[])[] {
  return [...Map.groupBy(rows, ({ vaultId }) => vaultId).values()].flatMap((ofVault) => divide(ofVault));
}

export function alone(rows: readonly ItemRow[]): readonly (readonly ItemRow[])[] {
  return rows.map((row) => [row]);
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

const defaultDelayMs = 1000;

export async function resultOf(
  rows: readonly ItemRow[],
  kind: ItemChange["kind"] | "move" | "copy",
  change: (rows: readonly ItemRow[]) => Promise<readonly Outcome<Item>[]>,
): Promise<CallResult<Item>> {
  try {
    return { outcomes: await change(rows) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isPlatformError(cause, "RATE_LIMITED")) return { laterMs: cause.retryAfterMs ?? defaultDelayMs };
    // A tag can be tried again: it takes the item as it is by then.
    const isConflict = kind !== "tag" && kind !== "untag" && isPlatformError(cause, "VERSION_CONFLICT");
    return { outcomes: rows.map(() => (isConflict ? { outcome: "conflict" } : { outcome: "failed", error })) };
  }
}
