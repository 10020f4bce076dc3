import { parseBaseUrl } from "../base-url.js";
import type { CallOptions, KeyedCallOptions } from "../call-options.js";
import { type Answered, createCaller } from "../caller.js";
import type { CommonOptions } from "../client-options.js";
import { systemClock } from "../clock.js";
import { deleteItemOperation, exchangeOperation } from "../contract.js";
import {
  type DeviceSession,
  type StartedDeviceAuthorization,
  type WaitOptions,
  waitForDeviceAuthorization,
} from "../device-login.js";
import type { RetryPolicy } from "../retry.js";
import { createJsonCaller } from "./json-caller.js";
import {
  type CompleteBrokerToken,
  type CompleteDeleteItemResponse,
  type CompleteExchangeResponse,
  type DeleteItemInput,
  type ExchangeInput,
  readDeletion,
  readExchange,
} from "./messages.js";

/** What a client needs to know: where the platform is, and in whose name to call. */
export interface PlatformClientOptions extends CommonOptions {
  /**
   * The URL of the platform, as `https://api.example.com` or with a path prefix. No credentials, query or fragment. Use
   * `http:` only where nobody can eavesdrop: every call carries a token.
   */
  readonly baseUrl: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Calls the platform in plain JSON. Make one and share it: it keeps the token. */
export interface PlatformClient {
  readonly vault: {
    /**
     * Deletes an item, if it is still at `baseVersion`: the version that the caller last saw. Idempotent.
     *
     * Rejects with a `PlatformError`; of this operation's own reasons `VERSION_CONFLICT` tells where the item stands.
     *
     * @see SPEC section 4.1
     */
    deleteItem(request: DeleteItemInput, options?: CallOptions): Promise<Answered<CompleteDeleteItemResponse>>;
  };
  readonly identityGateway: {
    /**
     * Exchanges a device code for an access token and a broker token, once a user has approved (RFC 8628 section 3.4).
     *
     * Resolves as long as the code is known and not consumed; `status` tells how things stand.
     *
     * @see SPEC section 4.2
     */
    exchangeMcpOauthDeviceAuthorization(
      request: ExchangeInput,
      options?: KeyedCallOptions,
    ): Promise<Answered<CompleteExchangeResponse>>;
    /**
     * Polls the exchange until a user has approved, as RFC 8628 section 3.5 asks. Rejects with a `PlatformError`:
     * `ACCESS_DENIED`, `EXPIRED_TOKEN`, `CANCELED`, or what an exchange was refused with.
     *
     * @example
     * ```ts
     * const session = await client.identityGateway.waitForDeviceAuthorization(deviceCode, { signal });
     * console.log(`${session.token}`, session.brokerToken.role);
     * // [redacted] agent
     * ```
     */
    waitForDeviceAuthorization(
      code: string | StartedDeviceAuthorization,
      options?: WaitOptions,
    ): Promise<DeviceSession<CompleteBrokerToken>>;
  };
}

/**
 * Makes a client. It connects when it is called, not before.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client/json";
 *
 * const client = createPlatformClient({ baseUrl, token });
 * const { item, cursor } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item.version, JSON.stringify(cursor));
 * // 4 {"vaultId":"personal","sequence":2}
 * ```
 *
 * @throws TypeError when `baseUrl` is not acceptable, RangeError when a fixed token is not. No message repeats them.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { baseUrl, fetch, clock = systemClock } = options;
  const call = createJsonCaller(parseBaseUrl(baseUrl), fetch, createCaller(options));
  const exchange = (
    { deviceCode }: ExchangeInput,
    callOptions?: KeyedCallOptions,
    policy?: RetryPolicy<Answered<CompleteExchangeResponse>>,
  ) => call(exchangeOperation, readExchange, { deviceCode }, callOptions, policy);
  return {
    vault: {
      deleteItem: ({ vaultId, itemId, baseVersion }, callOptions) =>
        call(deleteItemOperation, readDeletion, { vaultId, itemId, baseVersion }, callOptions),
    },
    identityGateway: {
      exchangeMcpOauthDeviceAuthorization: exchange,
      waitForDeviceAuthorization: (code, waitOptions) => waitForDeviceAuthorization(exchange, clock, code, waitOptions),
    },
  };
}
