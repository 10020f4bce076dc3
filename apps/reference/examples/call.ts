import { createPlatformClient } from "@platform-rpc/client";

const client = createPlatformClient({ baseUrl: "http://127.0.0.1:8080" });
const { item, cursor } = await client.vault.deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 3 });
console.log(item.version, item.deleted, cursor.sequence);
