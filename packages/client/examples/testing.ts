import { createPlatformClient, waitForDeviceAuthorization } from "@platform-rpc/client";
import { createFakePlatform } from "@platform-rpc/client/testing";

const platform = createFakePlatform();
platform.putItem({ vaultId: "personal", itemId: "item-1" });
const client = createPlatformClient(platform.options);

platform.failNext("unavailable", { retryAfter: 2 }); // the client waits, but no time passes
const { item } = await client.vault.deleteItem({ vaultId: "personal", itemId: "item-1", baseVersion: 1 });
console.log(item.version, platform.calls.length); // 2 2

const started = platform.startDevice();
platform.approveDevice();
const session = await waitForDeviceAuthorization(client, started);
console.log(`${session.token}`, session.brokerToken.role); // [redacted] agent
