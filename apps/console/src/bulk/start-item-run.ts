import { createClient } from "@connectrpc/connect";
import { isPlatformError } from "@platform-rpc/client";
import { type Item, VaultService } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import type { ItemRow } from "../items/item-rows.js";
import type { Calls } from "../session/console-context.js";
import { type BulkRun, type Later, type Outcome, startBulkRun } from "./bulk-run.js";

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
): ItemRun {
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
  return { kind, targets, ...startBulkRun<ItemRow, Item>({ targets, call, sleep }) };
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
