import { isPlatformError, type PlatformClient } from "@platform-rpc/client";

/** The version at which the item is deleted now, or undefined when somebody changed it first. */
export async function deleteItem(client: PlatformClient, vaultId: string, itemId: string, baseVersion: number) {
  try {
    const { item } = await client.vault.deleteItem({ vaultId, itemId, baseVersion });
    return item.version;
  } catch (error) {
    if (isPlatformError(error, "VERSION_CONFLICT")) {
      console.warn(`Changed meanwhile: version ${error.detail.currentVersion}. Read it, then decide again.`);
      return undefined;
    }
    throw error;
  }
}
