import { createPlatformClient, isPlatformError, waitForDeviceAuthorization } from "@platform-rpc/client";

const { PLATFORM_TOKEN = "", DEVICE_CODE = "" } = process.env;
const baseUrl = "https://api.example.com";
const ctrlC = new AbortController();
process.once("SIGINT", () => ctrlC.abort());

try {
  const own = createPlatformClient({ baseUrl, token: PLATFORM_TOKEN });
  const session = await waitForDeviceAuthorization(own, DEVICE_CODE, {
    signal: ctrlC.signal,
    onStatus: ({ status, expiresAt }) => console.error(`${status}; the code expires at ${expiresAt.toISOString()}`),
  });
  const agent = createPlatformClient({ baseUrl, token: session.token });
  await agent.vault.deleteItem({ vaultId: "personal", itemId: "item-1", baseVersion: 3 });
} catch (error) {
  if (!isPlatformError(error)) throw error;
  console.error(error.message); // ends with the URL of the page about its reason
  process.exitCode = error.reason === "CANCELED" ? 130 : 1;
}
