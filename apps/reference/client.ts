import { readFileSync } from "node:fs";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";

// server.ts writes this file: where it listens, a token, and an item.
const { DATA_DIR = "data/reference" } = process.env;
const { baseUrl, accessToken, vaultId, itemId } = JSON.parse(readFileSync(`${DATA_DIR}/client.json`, "utf8"));
const client = createPlatformClient({ baseUrl, token: accessToken });

/**
 * Deletes an item at the version that the person saw. If somebody has changed it since then, `confirm` is asked whether to delete it as it is
 * now. Returns whether the item is deleted.
 */
async function deleteItem(baseVersion: number, confirm: (currentVersion: number) => boolean): Promise<boolean> {
  try {
    const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion });
    console.log(`${itemId} is deleted: version ${item.version}, sequence ${cursor.sequence}`);
    return true;
  } catch (error) {
    if (!isPlatformError(error, "VERSION_CONFLICT")) throw error;
    const { currentVersion, deleted } = error.detail;
    if (deleted) return true; // Somebody else was first.
    console.log(`conflict: ${itemId} is at version ${currentVersion}, not ${baseVersion}`);
    return confirm(currentVersion) && deleteItem(currentVersion, confirm);
  }
}

// Retries after a lost response are safe: the client sends them by itself, and the server answers with the same bytes.
const sawVersion = 7;
await deleteItem(sawVersion, () => true);
