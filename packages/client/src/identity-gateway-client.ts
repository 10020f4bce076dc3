import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type ExchangeMcpOauthDeviceAuthorizationRequest,
  type ExchangeMcpOauthDeviceAuthorizationRequestSchema,
  type ExchangeMcpOauthDeviceAuthorizationResponse,
  IdentityGatewayService,
} from "@platform/types";
import type { KeyedCallOptions } from "./call-options.js";
import type { Answered, UnaryCaller } from "./unary-caller.js";

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
   * @see SPEC section 4.2
   */
  exchangeMcpOauthDeviceAuthorization(
    request: ExchangeMcpOauthDeviceAuthorizationInput,
    options?: KeyedCallOptions,
  ): Promise<ExchangeMcpOauthDeviceAuthorizationResult>;
}

export function createIdentityGatewayClient(call: UnaryCaller): IdentityGatewayClient {
  const exchange = {
    method: IdentityGatewayService.method.exchangeMcpOauthDeviceAuthorization,
    secretsOf: ({ deviceCode }: ExchangeMcpOauthDeviceAuthorizationRequest) => [deviceCode],
    isComplete,
  };
  return { exchangeMcpOauthDeviceAuthorization: (request, options) => call(exchange, request, options) };
}

function isComplete(
  answer: ExchangeMcpOauthDeviceAuthorizationResponse,
): answer is ExchangeMcpOauthDeviceAuthorizationResponse {
  const { status, tokenType, accessToken, brokerToken } = answer;
  if (status !== "approved") return status !== "";
  return tokenType !== "" && accessToken !== "" && brokerToken !== undefined && brokerToken.accessToken !== "";
}
