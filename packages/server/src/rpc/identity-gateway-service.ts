import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { IdentityGatewayService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import type { createExchangeDeviceCode } from "../operations/exchange-device-code.js";
import { checkedMethod } from "./checked-method.js";
import { exchangeResponse } from "./exchange-response.js";
import { rpcErrorOf } from "./rpc-error.js";

export interface IdentityGatewayServiceDeps {
  readonly exchangeDeviceCode: ReturnType<typeof createExchangeDeviceCode>;
  readonly validate: RequestValidator;
}

const exchangeError = rpcErrorOf("platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization");

/** Creates IdentityGatewayService: converts messages to domain inputs and results to messages. */
export function createIdentityGatewayService({
  exchangeDeviceCode,
  validate,
}: IdentityGatewayServiceDeps): ServiceImpl<typeof IdentityGatewayService> {
  return {
    exchangeMcpOauthDeviceAuthorization: checkedMethod(
      validate,
      async ({ deviceCode }, call, context) => {
        const result = await exchangeDeviceCode({ deviceCode, idempotencyKey: idempotencyKeyOf(context) }, call);
        if (!result.ok) throw exchangeError(result.reason);
        return exchangeResponse(result);
      },
      (_, context) => {
        const idempotencyKey = idempotencyKeyOf(context);
        return idempotencyKey === undefined || idempotencyKeyPattern.test(idempotencyKey)
          ? []
          : [idempotencyKeyInvalid];
      },
    ),
  };
}

const idempotencyKeyHeader = "Idempotency-Key";
const idempotencyKeyPattern = /^[\x21-\x7e]{16,128}$/;
const idempotencyKeyInvalid = {
  field: idempotencyKeyHeader,
  description: "must be 16 to 128 visible ASCII characters",
};

function idempotencyKeyOf({ requestHeader }: HandlerContext): string | undefined {
  return requestHeader.get(idempotencyKeyHeader) ?? undefined;
}
