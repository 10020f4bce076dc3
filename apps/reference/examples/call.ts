import { createPlatformClient, isPlatformError } from "@platform-rpc/client";

const { ACCESS_TOKEN = "" } = process.env;
const client = createPlatformClient({ baseUrl: "https://platform.example", token: ACCESS_TOKEN });

try {
  const { item, cursor } = await client.vault.deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 3 });
  console.log(item.deleted, cursor.sequence);
} catch (error) {
  // Where the item stands now, to decide again.
  if (isPlatformError(error, "VERSION_CONFLICT")) console.log(error.detail.currentVersion);
  else throw error;
}
