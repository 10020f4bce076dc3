import { readFileSync } from "node:fs";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";

// The demo keeps a valid token and an item that can be deleted in these files.
const demo = "../platform/data/demo";
const token = readFileSync(`${demo}/access.token`, "utf8");
const { vaultId, itemId, baseVersion } = JSON.parse(readFileSync(`${demo}/delete-item.json`, "utf8"));

const { PLATFORM_URL = "http://127.0.0.1:8080" } = process.env;
const client = createPlatformClient({ baseUrl: PLATFORM_URL, token });

/** Deletes the item, unless somebody has changed it since you saw this version. */
async function deleteAt(version: number) {
  try {
    const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: version });
    console.log(`deleted: version ${item.version}, sequence ${cursor.sequence}`);
  } catch (error) {
    if (!isPlatformError(error, "VERSION_CONFLICT")) throw error;
    console.log(`conflict: the item is at version ${error.detail.currentVersion}, not ${version}`);
  }
}

await deleteAt(9);
await deleteAt(baseVersion);
