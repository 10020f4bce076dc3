import { createClient } from "@connectrpc/connect";
import { isPlatformError } from "@platform-rpc/client";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { Item } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { ItemError } from "../elements/explain.js";
import type { ItemRow } from "../items/item-rows.js";
import type { Calls } from "../session/console-context.js";
import type { SignDeletions } from "../vaults/sign-deletion.js";
import { type BulkRun, type CallResult, type Outcome, startBulkRun } from "./bulk-run.js";
import { divide } from "./divide.js";

/** A run over items. Its result is the new state of each. */
export interface ItemRun extends BulkRun<ItemRow, Item> {
  readonly kind: "delete" | "restore";
  readonly targets: readonly ItemRow[];
}

/** How often the items of responses are added to the page, in milliseconds: each time, the table is ordered again. */
const addEveryMs = 250;

/** Deletes or restores items. @param add adds the items of responses to the page */
export function startItemRun(
  kind: ItemRun["kind"],
  targets: readonly ItemRow[],
  calls: Calls,
  add: (vaultId: string, items: readonly Item[]) => void,
  sign: SignDeletions,
): ItemRun {
  const members = createClient(MemberVaultService, calls.member);
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
  const change = kind === "delete" ? remove : restore;
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const call = (rows: readonly ItemRow[]) => resultOf(rows, change);
  return {
    kind,
    targets,
    ...startBulkRun<ItemRow, Item>({ targets, divide: kind === "delete" ? byVault : alone, call, sleep }),
  };
}

/** Divides rows into those of each call of DeleteItems. */
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

/** Calls an operation for some rows. Never rejects. */
export async function resultOf(
  rows: readonly ItemRow[],
  change: (rows: readonly ItemRow[]) => Promise<readonly Outcome<Item>[]>,
): Promise<CallResult<Item>> {
  try {
    return { outcomes: await change(rows) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isPlatformError(cause, "RATE_LIMITED")) return { laterMs: cause.retryAfterMs ?? defaultDelayMs };
    const isConflict = isPlatformError(cause, "VERSION_CONFLICT");
    return { outcomes: rows.map(() => (isConflict ? { outcome: "conflict" } : { outcome: "failed", error })) };
  }
}
