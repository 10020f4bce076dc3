import { advanceCursor, type CursorPosition, type PlatformClient } from "@platform-rpc/client";

/** Deletes an item, and returns the sync position of the caller's copy of the vault. */
export async function deleteAndAdvance(
  client: PlatformClient,
  position: CursorPosition,
  item: { itemId: string; baseVersion: number },
  pullAfter: (sequence: number) => Promise<CursorPosition>,
) {
  const { cursor } = await client.vault.deleteItem({ vaultId: position.vaultId, ...item });
  const { advance, pull } = advanceCursor(position, cursor);
  return advance ?? (await pullAfter(pull.after)); // others changed the vault meanwhile
}
