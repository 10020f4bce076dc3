import { setTimeout as sleep } from "node:timers/promises";
import { isPlatformError, type PlatformClient } from "@platform/client";

/** Polls until the user has approved or denied, or the device code has expired (RFC 8628 section 3.4). */
export async function awaitApproval(client: PlatformClient, deviceCode: string) {
  const idempotencyKey = crypto.randomUUID();
  for (;;) {
    try {
      const answer = await client.identityGateway.exchangeMcpOauthDeviceAuthorization(
        { deviceCode },
        { idempotencyKey },
      );
      if (answer.status !== "authorization_pending" && answer.status !== "slow_down") return answer;
      await sleep(answer.intervalSeconds * 1000);
    } catch (error) {
      if (!isPlatformError(error) || !error.retryable) throw error;
      await sleep(error.retryAfterMs ?? 5_000);
    }
  }
}
