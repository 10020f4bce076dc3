import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BrokerToken,
  type ExchangeMcpOauthDeviceAuthorizationRequest,
  type ExchangeMcpOauthDeviceAuthorizationRequestSchema,
  type ExchangeMcpOauthDeviceAuthorizationResponse,
  IdentityGatewayService,
} from "@platform-rpc/types";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered } from "../caller.js";
import type { Clock } from "../clock.js";
import { exchangeOperation } from "../contract.js";
import {
  type DeviceSession,
  type StartedDeviceAuthorization,
  type WaitOptions,
  waitForDeviceAuthorization,
} from "../device-login.js";
import type { ConnectCaller } from "./connect-caller.js";

/** Carries the device code, which is required. */
export type ExchangeMcpOauthDeviceAuthorizationInput = MessageInitShape<
  typeof ExchangeMcpOauthDeviceAuthorizationRequestSchema
> &
  Pick<ExchangeMcpOauthDeviceAuthorizationRequest, "deviceCode">;

/** How the device authorization stands, the tokens once it is approved, and the request id. */
export type ExchangeMcpOauthDeviceAuthorizationResult = Answered<ExchangeMcpOauthDeviceAuthorizationResponse>;

/** The operations that give agents tokens which a user has approved. */
export interface IdentityGatewayClient {
  /**
   * Exchanges a device code for an access token and a broker token, once a user has approved (RFC 8628 section 3.4).
   *
   * Resolves as long as the code is known and not consumed; `status` tells how things stand. Call again after
   * `intervalSeconds` until it is `approved`, `access_denied` or `expired_token`.
   *
   * The code can be exchanged once. If the answer is lost, the same call with the same `idempotencyKey` gives the same
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
   * Polls the exchange until a user has approved, as RFC 8628 section 3.5 asks: waits the interval first, slows down for
   * good when told so, waits longer while the network is lost, and polls once more just before the code ends.
   *
   * Rejects with a `PlatformError`: `ACCESS_DENIED`, `EXPIRED_TOKEN`, `CANCELED`, or what an exchange was refused with.
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
      waitForDeviceAuthorization(
        (request, polling, policy) => call(exchange, request, polling, policy),
        clock,
        code,
        options,
      ),
  };
}

function isComplete(
  answer: ExchangeMcpOauthDeviceAuthorizationResponse,
): answer is ExchangeMcpOauthDeviceAuthorizationResponse {
  const { status, accessToken, brokerToken } = answer;
  return status === "approved" ? accessToken !== "" && !!brokerToken?.accessToken : status !== "";
}
