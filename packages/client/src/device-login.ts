import { callError, localError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import { exchangeOperation } from "./contract.js";
import { tell } from "./hooks.js";
import { newId } from "./new-id.js";
import { type CallDefaults, openCall } from "./open-call.js";
import { PlatformError } from "./platform-error.js";
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
  /** What the server answered; `unreachable` when it did not, or only that the poll may be sent again. */
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

/** What both entries answer to a poll. */
export interface PollAnswer<BrokerToken> {
  readonly status: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
  readonly brokerToken?: BrokerToken | undefined;
  readonly requestId: string;
}

/** Sends one poll, once. */
export type Poll<BrokerToken> = (deviceCode: string, options: KeyedCallOptions) => Promise<PollAnswer<BrokerToken>>;

/** Kept from the ends of intervals and of the code's life: clocks differ and tremble. */
const marginMs = 250;
const lastPollBeforeEndMs = 1_000;
/** Within the 60 seconds for which a lost answer can be had again. */
const longestBackOffMs = 30_000;

/** Polls until the user has decided or the code has expired, by RFC 8628 section 3.5. */
export async function waitForDeviceAuthorization<BrokerToken extends { readonly accessToken: string }>(
  poll: Poll<BrokerToken>,
  defaults: CallDefaults,
  code: string | StartedDeviceAuthorization,
  options: WaitOptions = {},
): Promise<DeviceSession<BrokerToken>> {
  const { clock } = defaults;
  const started: StartedDeviceAuthorization = typeof code === "string" ? { deviceCode: code } : code;
  const { deviceCode } = started;
  const intervalSeconds = positive(started.intervalSeconds) ?? 5;
  const expiresInSeconds = positive(started.expiresInSeconds);
  const { onStatus, pollNow, idempotencyKey = newId(), ...until } = options;
  let interval = intervalSeconds * 1000;
  let wait = pollNow ? 0 : interval;
  let endsAt = clock.now() + (expiresInSeconds ?? 600) * 1000;
  let latestEnd = expiresInSeconds === undefined ? Number.POSITIVE_INFINITY : endsAt;
  let failures = 0;

  const { call } = openCall(exchangeOperation, { ...until, idempotencyKey, timeoutMs: 2 ** 31 - 1 }, defaults);
  const { signal, race, end } = call.deadline;
  let { requestId } = call;
  let cause: PlatformError | undefined;
  try {
    for (let last = false; !last; ) {
      const left = endsAt - lastPollBeforeEndMs - clock.now();
      // The last poll comes just before the end, and, if it can, not before the interval has passed.
      last = wait > 0 && left < 2 * wait + marginMs;
      const delay = last ? left : wait && wait + marginMs;
      if (delay > 0) await race(() => clock.sleep(delay, signal));
      const timeoutMs = Math.min(defaults.timeoutMs, Math.max(lastPollBeforeEndMs, Math.ceil(endsAt - clock.now())));
      const answer = await race(() => poll(deviceCode, { ...until, idempotencyKey, timeoutMs })).catch(
        (thrown: unknown) => {
          if (thrown instanceof PlatformError && thrown.retryable) return thrown;
          throw thrown;
        },
      );
      requestId = answer.requestId;
      cause = answer instanceof PlatformError ? answer : undefined;
      if (answer instanceof PlatformError) {
        failures += 1;
        wait = Math.max(answer.retryAfterMs ?? 0, interval, Math.min(interval * 2 ** failures, longestBackOffMs));
      } else {
        if (answer.status === "approved") return session(answer, clock);
        if (answer.status === "access_denied") throw localError("ACCESS_DENIED", call, { requestId });
        if (answer.status === "expired_token") break;
        const grown = answer.status === "slow_down" ? interval + 5_000 : interval;
        wait = interval = Math.max(grown, answer.intervalSeconds * 1000);
        endsAt = latestEnd = Math.min(latestEnd, clock.now() + answer.expiresInSeconds * 1000);
        failures = 0;
      }
      const status = answer instanceof PlatformError ? "unreachable" : answer.status;
      tell([onStatus], (one) => one?.({ status, intervalSeconds: wait / 1000, expiresAt: new Date(endsAt) }));
    }
    throw localError("EXPIRED_TOKEN", call, { requestId, cause });
  } catch (thrown) {
    throw callError(thrown, call);
  } finally {
    end();
  }
}

/** What is no positive number says nothing. */
function positive(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
}

function session<BrokerToken extends { readonly accessToken: string }>(
  { accessToken, expiresInSeconds, brokerToken, requestId }: PollAnswer<BrokerToken>,
  clock: Clock,
): DeviceSession<BrokerToken> {
  if (brokerToken === undefined) throw new RangeError("approved without a broker token");
  const expiresAt = new Date(clock.now() + expiresInSeconds * 1000);
  return {
    token: new SecretToken(accessToken, expiresAt),
    expiresAt,
    brokerToken: { ...brokerToken, accessToken: new SecretToken(brokerToken.accessToken) },
    requestId,
  };
}
