import { isPlatformError, type PlatformClient, type VersionConflictDetail } from "@platform-rpc/client";

/** Deletes an item. If somebody changed it first, `confirm` gets its current state and decides whether to delete it anyway. */
export async function deleteIfConfirmed(
  client: PlatformClient,
  item: { vaultId: string; itemId: string; baseVersion: number },
  confirm: (conflict: VersionConflictDetail) => Promise<boolean>,
): Promise<boolean> {
  try {
    await client.vault.deleteItem(item);
    return true;
  } catch (error) {
    if (!isPlatformError(error, "VERSION_CONFLICT")) throw error;
    const { detail } = error;
    if (detail.deleted) return true; // somebody else was first
    if (!(await confirm(detail))) return false;
    return deleteIfConfirmed(client, { ...item, baseVersion: detail.currentVersion }, confirm);
  }
}
