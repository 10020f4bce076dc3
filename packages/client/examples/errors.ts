import { isPlatformError, type PlatformClient } from "@platform-rpc/client";

/** Deletes an item. Returns its new version, or undefined if somebody else changed it first. */
export async function deleteItem(client: PlatformClient, vaultId: string, itemId: string, baseVersion: number) {
  try {
    const { item } = await client.vault.deleteItem({ vaultId, itemId, baseVersion });
    return item.version;
  } catch (error) {
    if (isPlatformError(error, "VERSION_CONFLICT")) {
      console.warn(`The item is now at version ${error.detail.currentVersion}. Read it, then decide again.`);
      return undefined;
    }
    throw error;
  }
}
