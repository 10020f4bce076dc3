import { callSafely } from "../call/hooks.js";
import { newId } from "../call/new-id.js";
import { withDeadline } from "../call/with-deadline.js";
import { systemClock } from "../clock.js";
import { createError, isError } from "../error/create-error.js";
import { SecretToken } from "../token/secret-token.js";
import type {
  DeviceLoginClient,
  DeviceSession,
  ExchangeAnswer,
  StartedDeviceAuthorization,
  WaitOptions,
} from "./device-session.js";

/** Added to each interval, because clocks differ. */
const marginMs = 250;
const lastPollBeforeExpiryMs = 1_000;
/** Less than the 60 seconds during which a retry gets the same tokens. */
const maxBackOffMs = 30_000;

/**
 * Polls the exchange of a device code until the user has approved (RFC 8628 section 3.5). Waits one interval first, polls less
 * often when the server asks for it, backs off while the network is down, and polls a last time just before the code expires.
 * Each poll is a separate call of the client.
 *
 * Rejects with a `PlatformError`: `ACCESS_DENIED`, `EXPIRED_TOKEN`, `CANCELED`, or the error of an exchange.
 *
 * @example
 * ```ts
 * import { createPlatformClient, waitForDeviceAuthorization } from "@platform-rpc/client";
 *
 * const session = await waitForDeviceAuthorization(client, deviceCode, { signal });
 * const agent = createPlatformClient({ baseUrl, token: session.token });
 * console.log(`${session.token}`, session.brokerToken.role);
 * // [redacted] agent
 * ```
 */
export function waitForDeviceAuthorization<BrokerToken extends { readonly accessToken: string }>(
  { identityGateway, clock = systemClock }: DeviceLoginClient<BrokerToken>,
  code: string | StartedDeviceAuthorization,
  { onStatus, pollNow, signal: parent, idempotencyKey }: WaitOptions = {},
): Promise<DeviceSession<BrokerToken>> {
  const started: StartedDeviceAuthorization = typeof code === "string" ? { deviceCode: code } : { ...code };
  const { deviceCode, intervalSeconds, expiresInSeconds } = started;
  let intervalMs = (intervalSeconds || 5) * 1000;
  let expiresAt = clock.now() + (expiresInSeconds || 600) * 1000;
  const options = { idempotencyKey: idempotencyKey || newId(), retry: false } as const;
  const call = { info: { requestId: newId() }, trace: new Error() };
  const expired = () =>
    createError(
      call,
      "EXPIRED_TOKEN",
      "failed_precondition",
      "The device code expired. Start a new device authorization.",
    );

  return withDeadline({ call, clock, ms: Infinity, signal: parent }, async (signal) => {
    // An exchange without a code fails, so it does not wait first.
    let waitMs = pollNow || !deviceCode ? 0 : intervalMs;
    for (;;) {
      const leftMs = expiresAt - lastPollBeforeExpiryMs - clock.now();
      // The last poll comes just before the code expires. The poll before it is skipped if they would be less than an interval
      // apart.
      const isLast = leftMs < 2 * waitMs + marginMs;
      const sleepMs = isLast ? leftMs : waitMs && waitMs + marginMs;
      if (sleepMs > 0) await clock.sleep(sleepMs, signal);
      let status = "unavailable";
      try {
        const answer = await identityGateway.exchangeMcpOauthDeviceAuthorization(
          { deviceCode },
          { ...options, signal },
        );
        call.info = answer;
        status = answer.status;
        if (answer.brokerToken) return sessionOf(answer, answer.brokerToken, clock.now());
        if (status === "access_denied") {
          const text = "The user denied access. Ask again only if the user wants to.";
          throw createError(call, "ACCESS_DENIED", "permission_denied", text);
        }
        if (!answer.expiresInSeconds) throw expired();
        if (status === "slow_down") intervalMs += 5_000;
        intervalMs = Math.max(intervalMs, answer.intervalSeconds * 1000);
        waitMs = intervalMs;
        // The server rounds up.
        if (!expiresInSeconds) expiresAt = clock.now() + (answer.expiresInSeconds - 1) * 1000;
      } catch (error) {
        if (!isError(error) || !error.retryable) throw error;
        call.info = error;
        waitMs = Math.max(error.retryAfterMs ?? 0, intervalMs, Math.min(waitMs * 2, maxBackOffMs));
      }
      const shown = { status, intervalSeconds: waitMs / 1000, expiresAt: new Date(expiresAt) };
      callSafely({ onStatus }, "onStatus", [shown]);
      if (isLast) throw expired();
    }
  });
}

/** The session of an approved exchange. */
function sessionOf<BrokerToken extends { readonly accessToken: string }>(
  { accessToken, expiresInSeconds, requestId }: ExchangeAnswer<BrokerToken>,
  brokerToken: BrokerToken,
  now: number,
): DeviceSession<BrokerToken> {
  const expiresAt = new Date(now + expiresInSeconds * 1000);
  return {
    token: new SecretToken(accessToken, expiresAt),
    expiresAt,
    brokerToken: { ...brokerToken, accessToken: new SecretToken(brokerToken.accessToken) },
    requestId,
  };
}
