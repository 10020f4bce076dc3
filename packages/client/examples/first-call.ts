import { createPlatformClient } from "@platform-rpc/client";

const { PLATFORM_TOKEN = "" } = process.env;
const client = createPlatformClient({ baseUrl: "https://api.example.com", token: PLATFORM_TOKEN });

const { item, cursor, requestId } = await client.vault.deleteItem({
  vaultId: "personal",
  itemId: "0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a11",
  baseVersion: 3, // the version you last saw
});
console.log(item.version, cursor.sequence, requestId); // 4 42 2518058721-…
