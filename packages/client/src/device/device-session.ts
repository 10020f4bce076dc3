import type { Operation } from "../call/call.js";
import { exchangeMcpOauthDeviceAuthorizationOperation } from "../gen/operations.js";
import type { KeyedCallOptions } from "../options/client-options.js";
import type { Clock } from "../options/clock.js";
import type { SecretToken } from "../options/token.js";

/** A started device authorization (RFC 8628 section 3.2). */
export interface StartedDeviceAuthorization {
  readonly deviceCode: string;
  /** Seconds between polls. Default: 5. */
  readonly intervalSeconds?: number | undefined;
  /** Seconds until the code expires. Default: 600, until the first response contains the actual value. */
  readonly expiresInSeconds?: number | undefined;
}

/** The state of a wait, for display while the user decides. Contains no code. */
export interface DeviceAuthorizationStatus {
  /** The status that the server returned; `unavailable` when the poll failed and will be repeated. */
  readonly status: string;
  /** Seconds until the next poll, which comes sooner only if the code is about to expire. */
  readonly intervalSeconds: number;
  readonly expiresAt: Date;
}

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait with `CANCELED`. To continue, wait again with the same device code. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every poll that did not end the wait. An error that it throws is ignored. */
  readonly onStatus?: ((status: DeviceAuthorizationStatus) => void) | undefined;
  /**
   * Whether to poll at once, for when you wait again or the user has already decided. Default: false, waits one interval first.
   */
  readonly pollNow?: boolean | undefined;
  /**
   * Sent with every poll. Keep it: if a response is lost, the same key returns its tokens for 60 seconds. Default: a random key.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The result of an approved device login: the tokens, and when they expire. */
export interface DeviceSession<BrokerToken> {
  /** For `createPlatformClient({ token: session.token })`. */
  readonly token: SecretToken;
  /** When `token` expires. After that, start a new device authorization. */
  readonly expiresAt: Date;
  readonly brokerToken: Omit<BrokerToken, "accessToken"> & { readonly accessToken: SecretToken };
  readonly requestId: string;
}

/** The parts of a client that a device login uses. The clients of both entries have them. */
export interface DeviceLoginClient<BrokerToken> {
  readonly identityGateway: {
    /** Exchanges the device code for the tokens, once the user has approved the login. */
    exchangeMcpOauthDeviceAuthorization(
      request: { readonly deviceCode: string },
      options?: KeyedCallOptions,
    ): Promise<ExchangeAnswer<BrokerToken>>;
  };
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The result of an exchange in either entry. */
export interface ExchangeAnswer<BrokerToken> {
  readonly status: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
  readonly brokerToken?: BrokerToken | undefined;
  readonly requestId: string;
}

/** Returns whether the fields of a response are consistent: an approved exchange must contain both tokens. */
export function isConsistent(operation: Operation, answer: object): boolean {
  if (operation !== exchangeMcpOauthDeviceAuthorizationOperation) return true;
  const { status, accessToken, brokerToken }: ExchangeParts = answer;
  return status === "approved" ? !!accessToken && !!brokerToken?.accessToken : !!status;
}

interface ExchangeParts {
  readonly status?: string;
  readonly accessToken?: string;
  readonly brokerToken?: { readonly accessToken?: string } | undefined;
}
