import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { IdentityGatewayService } from "@platform-rpc/types";
import type { RequestValidator } from "../contract/request-validator.js";
import { exchangeResponse } from "./exchange-response.js";
import { handle } from "./handle.js";
import type { Operations } from "./operations.js";
import { rpcErrorOf } from "./rpc-error.js";

export interface IdentityGatewayServiceDeps {
  readonly operations: Operations;
  readonly validate: RequestValidator;
}

export function createIdentityGatewayService({
  operations,
  validate,
}: IdentityGatewayServiceDeps): ServiceImpl<typeof IdentityGatewayService> {
  return {
    exchangeMcpOauthDeviceAuthorization: handle({
      validate,
      error: rpcErrorOf("platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization"),
      violations(_, context) {
        const idempotencyKey = idempotencyKeyOf(context);
        return idempotencyKey === undefined || idempotencyKeyPattern.test(idempotencyKey)
          ? []
          : [idempotencyKeyInvalid];
      },
      run: ({ deviceCode }, call, context) =>
        operations.exchangeDeviceCode({ deviceCode, idempotencyKey: idempotencyKeyOf(context) }, call),
      answer: exchangeResponse,
    }),
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
