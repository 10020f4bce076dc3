import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import { failure, isError } from "./failure.js";
import { tell } from "./hooks.js";
import { newId } from "./new-id.js";
import type { PlatformError } from "./platform-error.js";
import type { RetryPolicy } from "./retry.js";
import { SecretToken } from "./secret-token.js";

/** A device authorization as the answer that started it tells of it (RFC 8628 section 3.2). */
export interface StartedDeviceAuthorization {
  readonly deviceCode: string;
  /** Seconds between polls. Default: 5. */
  readonly intervalSeconds?: number | undefined;
  /** Seconds for which the code lives. Default: 600, until the server says. */
  readonly expiresInSeconds?: number | undefined;
}

/** What a program may show while the user decides. It holds no code. */
export interface DeviceAuthorizationStatus {
  /** What the server answered; `unavailable` when it did not, or only that the poll may be sent again. */
  readonly status: string;
  /** Seconds to the next poll, which comes sooner only when the code ends. */
  readonly intervalSeconds: number;
  readonly expiresAt: Date;
}

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait with `CANCELED`. It can be taken up again with the same device code. */
  readonly signal?: AbortSignal | undefined;
  /** Told after every poll that did not end the wait with a decision. */
  readonly onStatus?: ((status: DeviceAuthorizationStatus) => void) | undefined;
  /** Poll at once: when the wait is taken up again, or the user has decided already. Default: wait the interval first. */
  readonly pollNow?: boolean | undefined;
  /** Sent with every poll. Keep one to get tokens whose answer was lost, within 60 seconds. Default: a random one. */
  readonly idempotencyKey?: string | undefined;
}

/** What the user approved: tokens, and when they end. */
export interface DeviceSession<BrokerToken> {
  /** For `createPlatformClient({ token: session.token })`. */
  readonly token: SecretToken;
  /** When `token` ends: start a new device authorization then. */
  readonly expiresAt: Date;
  readonly brokerToken: Omit<BrokerToken, "accessToken"> & { readonly accessToken: SecretToken };
  readonly requestId: string;
}

/** What both entries answer to an exchange. */
export interface ExchangeAnswer<BrokerToken> {
  readonly status: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
  readonly brokerToken?: BrokerToken | undefined;
  readonly requestId: string;
}

/** What ended a wait: an answer, or a failure that was still worth another try. */
type Decided<BrokerToken> = Partial<ExchangeAnswer<BrokerToken>> & Pick<ExchangeAnswer<BrokerToken>, "requestId">;

/** Exchanges a device code, as often as a policy says. */
export type Exchange<BrokerToken> = (
  request: { readonly deviceCode: string },
  options: KeyedCallOptions,
  policy: RetryPolicy<ExchangeAnswer<BrokerToken>>,
) => Promise<ExchangeAnswer<BrokerToken>>;

/** Kept from the ends of intervals and of the code's life: clocks differ and tremble. */
const marginMs = 250;
const lastPollBeforeEndMs = 1_000;
/** Within the 60 seconds for which a lost answer can be had again. */
const longestBackOffMs = 30_000;
/** About as long as timers can wait. */
const longestWaitSeconds = 2_000_000;

/**
 * Polls until the user has decided or the code has expired, by RFC 8628 section 3.5: one call of the exchange, whose retries
 * are the polls.
 */
export const waitForDeviceAuthorization = async <BrokerToken extends { readonly accessToken: string }>(
  exchange: Exchange<BrokerToken>,
  clock: Clock,
  code: string | StartedDeviceAuthorization,
  options: WaitOptions = {},
): Promise<DeviceSession<BrokerToken>> => {
  const { onStatus, pollNow, signal, idempotencyKey } = options;
  const started: StartedDeviceAuthorization = typeof code === "string" ? { deviceCode: code } : code;
  const { deviceCode, intervalSeconds, expiresInSeconds } = started;
  let interval = (intervalSeconds || 5) * 1000;
  let wait = pollNow ? 0 : interval;
  let endsAt = clock.now() + (expiresInSeconds || 600) * 1000;
  let last = false;

  const timeoutMs = (expiresInSeconds || longestWaitSeconds) * 1000;
  const answer: Decided<BrokerToken> = await exchange(
    { deviceCode },
    { signal, idempotencyKey: idempotencyKey || newId(), timeoutMs },
    (answer) => {
      if (answer) {
        let status = "unavailable";
        if (isError(answer)) {
          if (!answer.retryable) return undefined;
          wait = Math.max(answer.retryAfterMs ?? 0, interval, Math.min(wait * 2, longestBackOffMs));
        } else {
          status = answer.status;
          // Decided, or over.
          if (status === "approved" || !answer.expiresInSeconds) return undefined;
          interval = Math.max(status === "slow_down" ? interval + 5_000 : interval, answer.intervalSeconds * 1000);
          wait = interval;
          // The server rounds up.
          if (!expiresInSeconds) endsAt = clock.now() + (answer.expiresInSeconds - 1) * 1000;
        }
        tell([onStatus], (one) => one?.({ status, intervalSeconds: wait / 1000, expiresAt: new Date(endsAt) }));
        if (last) return undefined;
      }
      const left = endsAt - lastPollBeforeEndMs - clock.now();
      // The last poll comes just before the end, and, if it can, not before the interval has passed.
      last = left < 2 * wait + marginMs;
      return last ? left : wait && wait + marginMs;
    },
  ).catch((error: PlatformError) => {
    if (error.retryable) return error;
    throw error;
  });

  const { status, accessToken, brokerToken, requestId, expiresInSeconds: lifeSeconds = 0 } = answer;
  if (status === "access_denied") throw failure(answer, "ACCESS_DENIED", "permission_denied");
  if (!accessToken || !brokerToken) throw failure(answer, "EXPIRED_TOKEN", "failed_precondition");
  const expiresAt = new Date(clock.now() + lifeSeconds * 1000);
  return {
    token: new SecretToken(accessToken, expiresAt),
    expiresAt,
    brokerToken: { ...brokerToken, accessToken: new SecretToken(brokerToken.accessToken) },
    requestId,
  };
};
