import type { SecretToken } from "../token/secret-token.js";

/** A started device authorization (RFC 8628 section 3.2). */
export interface StartedDeviceAuthorization {
  readonly deviceCode: string;
  /** Seconds between polls. Default: 5. */
  readonly intervalSeconds?: number | undefined;
  /** Seconds until the code expires. Default: 600, until the server says. */
  readonly expiresInSeconds?: number | undefined;
}

/** What a program may show while the user decides. Contains no code. */
export interface DeviceAuthorizationStatus {
  /** The status that the server returned; `unavailable` when the poll failed and may be repeated. */
  readonly status: string;
  /** Seconds to the next poll, which comes sooner only when the code expires. */
  readonly intervalSeconds: number;
  readonly expiresAt: Date;
}

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait with `CANCELED`. Wait again with the same device code to go on. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every poll that did not end the wait. What it throws is ignored. */
  readonly onStatus?: ((status: DeviceAuthorizationStatus) => void) | undefined;
  /** Polls at once, when you wait again or the user has decided already. Default: waits the interval first. */
  readonly pollNow?: boolean | undefined;
  /** Sent with every poll. Keep it to get tokens whose answer was lost, within 60 seconds. Default: a random one. */
  readonly idempotencyKey?: string | undefined;
}

/** What the user approved: tokens, and when they expire. */
export interface DeviceSession<BrokerToken> {
  /** For `createPlatformClient({ token: session.token })`. */
  readonly token: SecretToken;
  /** When `token` expires. Start a new device authorization then. */
  readonly expiresAt: Date;
  readonly brokerToken: Omit<BrokerToken, "accessToken"> & { readonly accessToken: SecretToken };
  readonly requestId: string;
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
