import type { ItemContent } from "@platform-rpc/items/item-content";
import { type Earlier, readEarlier } from "../history/earlier-contents.js";
import type { ItemRow } from "../items/item-rows.js";
import { mayHaveHistory } from "../items/may-have-history.js";
import { writtenIn } from "../opening/open-content.js";
import { openItemsOf } from "../opening/open-items-of.js";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { whenAccepted } from "./when-accepted.js";

export interface ExportedItem {
  readonly kind: string;
  readonly content: ItemContent;
  /** Exactly what was sealed. */
  readonly text: string;
  readonly vault: string;
  /** What it contained before, the newest first. */
  readonly earlier: readonly Earlier[];
}

const atOnce = 200;

/**
 * Opens the items of vaults again, with their texts and their earlier contents, in the workers. Leaves out what cannot be opened or is not
 * verified.
 *
 * @param onRead called with the number of items that were read so far
 */
export async function readContents(
  rows: readonly ItemRow[],
  vaults: readonly OwnVault[],
  session: ConsoleSession,
  members: Members,
  onRead: (count: number) => void,
): Promise<readonly ExportedItem[]> {
  const { tenantId, principalId, keys } = session;
  const exported: ExportedItem[] = [];
  for (const { vaultId, key, name: vault } of vaults) {
    const readHistory = async (row: Pick<ItemRow, "item" | "content">) =>
      mayHaveHistory(row)
        ? (await whenAccepted(() => readEarlier(row.item, { vaultId, key }, session, members, true))).filter(isSound)
        : [];
    const reader = { tenantId, vaultId, principalId, decryptionKey: keys.decryptionKey, member: keys.member, key };
    const open = openItemsOf({ ...reader, keepsText: true });
    const items = rows.filter((row) => row.vaultId === vaultId).map(({ item }) => item);
    for (let at = 0; at < items.length; at += atOnce) {
      const some = items.slice(at, at + atOnce);
      const contents = await open(some);
      // One after the other: the rate of the server, and not the network, decides how long that takes.
      for (const [index, item] of some.entries()) {
        const content = contents[index];
        if (content?.text === undefined || content.isUnverified) continue;
        const earlier = await readHistory({ item, content });
        exported.push({ kind: item.kind, content: writtenIn(content), text: content.text, vault, earlier });
        onRead(exported.length);
      }
    }
  }
  return exported;
}

function isSound({ content }: Earlier): boolean {
  return content.text !== undefined && !content.isUnverified;
}
