import { createPlatformClient, isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";

const { PLATFORM_URL = "http://127.0.0.1:8080", PLATFORM_TOKEN = "", DEVICE_CODE = "" } = process.env;
const ctrlC = new AbortController();
process.once("SIGINT", () => ctrlC.abort());

try {
  const own = createPlatformClient({ baseUrl: PLATFORM_URL, token: PLATFORM_TOKEN });
  const session = await waitForDeviceAuthorization(own, DEVICE_CODE, {
    signal: ctrlC.signal,
    onStatus: ({ status, expiresAt }) => console.error(`${status}; the code expires at ${expiresAt.toISOString()}`),
  });
  const agent = createPlatformClient({ baseUrl: PLATFORM_URL, token: session.token });
  const { item } = await agent.vault.deleteItem({ vaultId: "demo-vault", itemId: "demo-note", baseVersion: 1 });
  console.log(`${item.itemId} is deleted at version ${item.version}`);
} catch (error) {
  if (!isPlatformError(error)) throw error;
  console.error(error.message); // ends with the URL of the page about its reason
  process.exitCode = error.reason === "CANCELED" ? 130 : 1;
}
