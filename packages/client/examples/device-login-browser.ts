import {
  createPlatformClient,
  isPlatformError,
  type PlatformClient,
  waitForDeviceAuthorization,
} from "@platform-rpc/client/json";

/** Waits for approval while a page shows the user code. Returns undefined if the user left, denied, or let the code expire. */
export async function logIn(
  own: PlatformClient,
  deviceCode: string,
  page: { show(text: string): void; left: AbortSignal },
) {
  try {
    const { token } = await waitForDeviceAuthorization(own, deviceCode, {
      signal: page.left,
      onStatus: ({ status }) =>
        page.show(status === "unavailable" ? "You seem to be offline." : "Waiting for your approval."),
    });
    return createPlatformClient({ baseUrl: "https://api.example.com", token });
  } catch (error) {
    const over = ["CANCELED", "ACCESS_DENIED", "EXPIRED_TOKEN"];
    if (isPlatformError(error) && over.includes(error.reason ?? "")) return undefined;
    throw error;
  }
}
