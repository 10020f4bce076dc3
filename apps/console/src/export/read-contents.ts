import type { ItemContent } from "@platform-rpc/items/item-content";
import { type Earlier, readEarlier } from "../history/earlier-contents.js";
import type { ItemRow } from "../items/item-rows.js";
import { mayHaveHistory } from "../items/may-have-history.js";
import { writtenIn } from "../opening/open-content.js";
import { openItemsOf } from "../opening/open-items-of.js";
import type { Calls } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";

export interface ExportedItem {
  readonly kind: string;
  readonly content: ItemContent;
  /** Exactly what was sealed. */
  readonly text: string;
  /** The name of its vault. */
  readonly vault: string;
  /** What it contained before, the newest first. */
  readonly earlier: readonly Earlier[];
}

/** How many items are opened at once, and of how many the earlier contents are read at once. */
const [atOnce, readAtOnce] = [200, 10];

/**
 * Opens the items of vaults again, with their texts and their earlier contents, in the workers. Leaves out what cannot be opened or is not
 * verified.
 */
export async function readContents(
  rows: readonly ItemRow[],
  vaults: readonly OwnVault[],
  session: ConsoleSession,
  calls: Calls,
): Promise<readonly ExportedItem[]> {
  const { tenantId, principalId, keys } = session;
  const exported: ExportedItem[] = [];
  for (const { vaultId, key, name: vault } of vaults) {
    const readHistory = async (row: Pick<ItemRow, "item" | "content">) =>
      mayHaveHistory(row) ? (await readEarlier(row.item, { vaultId, key }, session, calls, true)).filter(isSound) : [];
    const reader = { tenantId, vaultId, principalId, decryptionKey: keys.decryptionKey, member: keys.member, key };
    const open = openItemsOf({ ...reader, keepsText: true });
    const items = rows.filter((row) => row.vaultId === vaultId).map(({ item }) => item);
    for (let at = 0; at < items.length; at += atOnce) {
      const some = items.slice(at, at + atOnce);
      const contents = await open(some);
      for (let first = 0; first < some.length; first += readAtOnce) {
        const read = some
          .slice(first, first + readAtOnce)
          .map((item, index) => ({ item, content: contents[first + index] }));
        const histories = await Promise.all(read.map(readHistory));
        histories.forEach((earlier, index) => {
          const [item, content] = [some[first + index], contents[first + index]];
          if (item === undefined || content?.text === undefined || content.isUnverified) return;
          exported.push({ kind: item.kind, content: writtenIn(content), text: content.text, vault, earlier });
        });
      }
    }
  }
  return exported;
}

function isSound({ content }: Earlier): boolean {
  return content.text !== undefined && !content.isUnverified;
}
