import type { ItemContent } from "@platform-rpc/items/item-content";
import type { ItemRow } from "../items/item-rows.js";
import { writtenIn } from "../opening/open-content.js";
import { openItemsOf } from "../opening/open-items-of.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";

export interface ExportedItem {
  readonly kind: string;
  readonly content: ItemContent;
  /** Exactly what was sealed. */
  readonly text: string;
  /** The name of its vault. */
  readonly vault: string;
}

/** How many items are opened at once. */
const atOnce = 200;

/** Opens the items of vaults again, with their texts, in the workers. Leaves out what cannot be opened or is not verified. */
export async function readContents(
  rows: readonly ItemRow[],
  vaults: readonly OwnVault[],
  { tenantId, principalId, keys }: ConsoleSession,
): Promise<readonly ExportedItem[]> {
  const exported: ExportedItem[] = [];
  for (const { vaultId, key, name: vault } of vaults) {
    const reader = { tenantId, vaultId, principalId, decryptionKey: keys.decryptionKey, member: keys.member, key };
    const open = openItemsOf({ ...reader, keepsText: true });
    const items = rows.filter((row) => row.vaultId === vaultId).map(({ item }) => item);
    for (let at = 0; at < items.length; at += atOnce) {
      const some = items.slice(at, at + atOnce);
      const contents = await open(some);
      some.forEach(({ kind }, index) => {
        const content = contents[index];
        if (content?.text === undefined || content.isUnverified) return;
        exported.push({ kind, content: writtenIn(content), text: content.text, vault });
      });
    }
  }
  return exported;
}
