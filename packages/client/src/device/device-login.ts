import type { KeyedCallOptions } from "../call/call-options.js";
import type { Clock } from "../clock.js";
import type { DeviceSession, StartedDeviceAuthorization, WaitOptions } from "./device-session.js";
import { type Exchange, waitForDeviceAuthorization } from "./wait-for-device-authorization.js";

/** The login of a device, for its user. */
export interface DeviceLogin<BrokerToken> {
  /**
   * Polls the exchange until the user has approved (RFC 8628 section 3.5). Waits one interval first, polls less often when the
   * server asks for it, backs off while the network is down, and polls a last time just before the code expires.
   *
   * Rejects with a `PlatformError`: `ACCESS_DENIED`, `EXPIRED_TOKEN`, `CANCELED`, or the error of an exchange.
   *
   * @example
   * ```ts
   * import { createPlatformClient } from "@platform-rpc/client";
   *
   * const session = await client.identityGateway.waitForDeviceAuthorization(deviceCode, { signal });
   * const agent = createPlatformClient({ baseUrl, token: session.token });
   * console.log(`${session.token}`, session.brokerToken.role);
   * // [redacted] agent
   * ```
   */
  waitForDeviceAuthorization(
    code: string | StartedDeviceAuthorization,
    options?: WaitOptions,
  ): Promise<DeviceSession<BrokerToken>>;
}

/** A service with the exchange operation, from either entry. */
interface Exchanger<BrokerToken> {
  exchangeMcpOauthDeviceAuthorization(
    request: Parameters<Exchange<BrokerToken>>[0],
    options?: KeyedCallOptions,
  ): ReturnType<Exchange<BrokerToken>>;
}

/** Adds device login to the service that exchanges device codes. */
export function withDeviceLogin<
  BrokerToken extends { readonly accessToken: string },
  Service extends Exchanger<BrokerToken>,
>(service: Service & Exchanger<BrokerToken>, clock: Clock): Service & DeviceLogin<BrokerToken> {
  return {
    ...service,
    waitForDeviceAuthorization: (code, options) =>
      waitForDeviceAuthorization(service.exchangeMcpOauthDeviceAuthorization, clock, code, options),
  };
}
