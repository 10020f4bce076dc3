import type { KeyedCallOptions } from "../call/call-options.js";
import { notify } from "../call/hooks.js";
import { newId } from "../call/new-id.js";
import { withDeadline } from "../call/with-deadline.js";
import type { Clock } from "../clock.js";
import { type CallRef, createError, isError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import { SecretToken } from "../token/secret-token.js";
import type { DeviceSession, ExchangeAnswer, StartedDeviceAuthorization, WaitOptions } from "./device-session.js";

/** Exchanges a device code, by one call. */
export type Exchange<BrokerToken> = (
  request: Pick<StartedDeviceAuthorization, "deviceCode">,
  options: KeyedCallOptions,
) => Promise<ExchangeAnswer<BrokerToken>>;

/** Each poll comes this much later than the interval asks, because clocks differ. */
const marginMs = 250;
const lastPollBeforeExpiryMs = 1_000;
/** Within the 60 seconds for which a lost answer is repeated. */
const maxBackOffMs = 30_000;
const maxTimerMs = 2 ** 31 - 1;

/** Polls until the user has decided or the code has expired (RFC 8628 section 3.5). Each poll is a call of its own. */
export async function waitForDeviceAuthorization<BrokerToken extends { readonly accessToken: string }>(
  exchange: Exchange<BrokerToken>,
  clock: Clock,
  code: string | StartedDeviceAuthorization,
  { onStatus, pollNow, signal, idempotencyKey }: WaitOptions = {},
): Promise<DeviceSession<BrokerToken>> {
  const started: StartedDeviceAuthorization = typeof code === "string" ? { deviceCode: code } : { ...code };
  const { deviceCode, intervalSeconds, expiresInSeconds } = started;
  const options: KeyedCallOptions = { signal, idempotencyKey: idempotencyKey || newId(), retry: false };
  let intervalMs = (intervalSeconds || 5) * 1000;
  let expiresAt = clock.now() + (expiresInSeconds || 600) * 1000;
  // An exchange without a code fails: at once.
  let waitMs = pollNow || !deviceCode ? 0 : intervalMs;
  let call: CallRef = { info: { requestId: newId() }, trace: new Error() };

  for (;;) {
    const leftMs = expiresAt - lastPollBeforeExpiryMs - clock.now();
    // The last poll comes just before the code expires and, if possible, not before the interval has passed.
    const isLast = leftMs < 2 * waitMs + marginMs;
    await wait(clock, isLast ? leftMs : waitMs && waitMs + marginMs, signal, call);
    let status = "unavailable";
    try {
      const answer = await exchange({ deviceCode }, options);
      call = { ...call, info: answer };
      status = answer.status;
      if (answer.brokerToken) return sessionOf(answer, answer.brokerToken, clock.now());
      if (status === "access_denied") throw denied(call);
      if (!answer.expiresInSeconds) throw expired(call);
      if (status === "slow_down") intervalMs += 5_000;
      intervalMs = Math.max(intervalMs, answer.intervalSeconds * 1000);
      waitMs = intervalMs;
      // The server rounds up.
      if (!expiresInSeconds) expiresAt = clock.now() + (answer.expiresInSeconds - 1) * 1000;
    } catch (error) {
      if (!isError(error) || !error.retryable) throw error;
      call = { ...call, info: error };
      waitMs = Math.max(error.retryAfterMs ?? 0, intervalMs, Math.min(waitMs * 2, maxBackOffMs));
    }
    notify([onStatus], (one) => one?.({ status, intervalSeconds: waitMs / 1000, expiresAt: new Date(expiresAt) }));
    if (isLast) throw expired(call);
  }
}

/** Waits between polls. Rejects with `CANCELED` when the signal is aborted. */
async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined, call: CallRef): Promise<void> {
  if (ms <= 0) return;
  const deadline = { call, clock, ms: maxTimerMs, limit: "The wait", signal };
  await withDeadline(deadline, (signal) => clock.sleep(ms, signal));
}

function denied(call: CallRef): PlatformError {
  return createError(call, {
    ...{ reason: "ACCESS_DENIED", code: "permission_denied" },
    text: "The user denied access. Do not ask again unless the user wants to.",
  });
}

function expired(call: CallRef): PlatformError {
  return createError(call, {
    ...{ reason: "EXPIRED_TOKEN", code: "failed_precondition" },
    text: "The device code expired. Start a new device authorization.",
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
