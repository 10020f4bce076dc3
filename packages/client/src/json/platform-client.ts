import { createCaller } from "../call/call.js";
import type { CallOptions, KeyedCallOptions } from "../call/call-options.js";
import type { DeviceSession, StartedDeviceAuthorization, WaitOptions } from "../device/device-session.js";
import { waitForDeviceAuthorization } from "../device/wait-for-device-authorization.js";
import { hostOf, readBaseUrl } from "../options/check-options.js";
import { type ClientContext, createContext } from "../options/client-context.js";
import type { CommonOptions, HttpOptions } from "../options/client-options.js";
import { createJsonCaller } from "./json-caller.js";
import {
  type BrokerToken,
  type DeleteItemInput,
  type DeleteItemResult,
  deleteItem,
  type ExchangeMcpOauthDeviceAuthorizationInput,
  type ExchangeMcpOauthDeviceAuthorizationResult,
  exchange,
} from "./messages.js";

/** Where the platform is, on whose behalf to call, and how. */
export interface PlatformClientOptions extends CommonOptions, HttpOptions {}

/** The operations on the items of a vault. */
export interface VaultClient {
  /**
   * Deletes an item if it is still at `baseVersion`, the version that the caller last saw. Idempotent.
   *
   * Rejects with a `PlatformError`; with `VERSION_CONFLICT`, `detail` is the current state of the item.
   *
   * @see SPEC section 4.1
   */
  deleteItem(request: DeleteItemInput, options?: CallOptions): Promise<DeleteItemResult>;
}

/** The operations that give agents tokens which a user has approved. */
export interface IdentityGatewayClient {
  /**
   * Exchanges a device code for an access token and a broker token, once a user has approved (RFC 8628 section 3.4).
   *
   * Resolves as long as the code is known and not consumed; `status` is the state of the authorization.
   *
   * @see SPEC section 4.2
   */
  exchangeMcpOauthDeviceAuthorization(
    request: ExchangeMcpOauthDeviceAuthorizationInput,
    options?: KeyedCallOptions,
  ): Promise<ExchangeMcpOauthDeviceAuthorizationResult>;
  /**
   * Polls the exchange until a user has approved (RFC 8628 section 3.5). Rejects with a `PlatformError`: `ACCESS_DENIED`,
   * `EXPIRED_TOKEN`, `CANCELED`, or the error of an exchange.
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
  ): Promise<DeviceSession<BrokerToken>>;
}

/** Calls the platform in plain JSON. Create one and share it: it caches the token. */
export interface PlatformClient {
  readonly vault: VaultClient;
  readonly identityGateway: IdentityGatewayClient;
  /** Returns a client with some options changed. It shares the retry budget and, with the same `token`, the cached token. */
  withOptions(changes: PlatformClientOptions): PlatformClient;
}

/**
 * Creates a client. It connects when it is called, not before.
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
 * @throws TypeError that names the option that is not acceptable, and says what is right.
 */
export function createPlatformClient(options: PlatformClientOptions = {}): PlatformClient {
  return derivedClient(options);
}

const optionNames = ["baseUrl", "fetch"];

function derivedClient(options: PlatformClientOptions, base?: ClientContext): PlatformClient {
  const baseUrl = readBaseUrl(options);
  const context = createContext(options, { host: hostOf(baseUrl), names: optionNames, base });
  const call = createJsonCaller({ baseUrl, fetch: options.fetch }, createCaller(context));
  return {
    vault: { deleteItem: (request, callOptions) => call(deleteItem, request, callOptions) },
    identityGateway: {
      exchangeMcpOauthDeviceAuthorization: (request, callOptions) => call(exchange, request, callOptions),
      waitForDeviceAuthorization: (code, waitOptions) =>
        waitForDeviceAuthorization(
          (request, callOptions) => call(exchange, request, callOptions),
          context.clock,
          code,
          waitOptions,
        ),
    },
    withOptions: (changes) => derivedClient({ ...options, ...changes }, context),
  };
}
