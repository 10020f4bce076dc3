import {
  type BrokerToken,
  type ExchangeMcpOauthDeviceAuthorizationRequest,
  type ExchangeMcpOauthDeviceAuthorizationResponse,
  IdentityGatewayService,
} from "@platform-rpc/types";
import type { Answered } from "../call/call.js";
import type { KeyedCallOptions } from "../call/call-options.js";
import type { Clock } from "../clock.js";
import { exchangeOperation } from "../contract.js";
import type { DeviceSession, StartedDeviceAuthorization, WaitOptions } from "../device/device-session.js";
import { waitForDeviceAuthorization } from "../device/wait-for-device-authorization.js";
import type { ConnectCaller } from "./connect-caller.js";

/** Carries the device code, which is required. */
export type ExchangeMcpOauthDeviceAuthorizationInput = Pick<ExchangeMcpOauthDeviceAuthorizationRequest, "deviceCode">;

/** The status of the device authorization, the tokens once it is approved, and the request id. */
export type ExchangeMcpOauthDeviceAuthorizationResult = Answered<ExchangeMcpOauthDeviceAuthorizationResponse>;

/** The operations that give agents tokens which a user has approved. */
export interface IdentityGatewayClient {
  /**
   * Exchanges a device code for an access token and a broker token, once a user has approved (RFC 8628 section 3.4).
   *
   * Resolves as long as the code is known and not consumed; `status` is the state of the authorization. Call again after
   * `intervalSeconds` until it is `approved`, `access_denied` or `expired_token`.
   *
   * The code can be exchanged once. If the answer is lost, the same call with the same `idempotencyKey` returns the same
   * tokens again, for 60 seconds.
   *
   * @example
   * ```ts
   * const { status, brokerToken } = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
   * console.log(status, brokerToken?.role);
   * // approved agent
   * ```
   *
   * @see SPEC section 4.2
   */
  exchangeMcpOauthDeviceAuthorization(
    request: ExchangeMcpOauthDeviceAuthorizationInput,
    options?: KeyedCallOptions,
  ): Promise<ExchangeMcpOauthDeviceAuthorizationResult>;

  /**
   * Polls the exchange until a user has approved (RFC 8628 section 3.5): waits the interval first, polls less often when the
   * server asks for it, waits longer while the network is down, and polls once more just before the code expires.
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

export function createIdentityGatewayClient(call: ConnectCaller, clock: Clock): IdentityGatewayClient {
  const exchange = {
    operation: exchangeOperation,
    method: IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization,
    isComplete,
  };
  return {
    exchangeMcpOauthDeviceAuthorization: (request, options) => call(exchange, request, options),
    waitForDeviceAuthorization: (code, options) =>
      waitForDeviceAuthorization((request, callOptions) => call(exchange, request, callOptions), clock, code, options),
  };
}

function isComplete(
  answer: ExchangeMcpOauthDeviceAuthorizationResponse,
): answer is ExchangeMcpOauthDeviceAuthorizationResponse {
  const { status, accessToken, brokerToken } = answer;
  return status === "approved" ? accessToken !== "" && !!brokerToken?.accessToken : status !== "";
}
