import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkedCall, type Platform, type RequestValidator, type RpcError, rpcError } from "@platform-rpc/server";
import type { DeviceAuthorizationService } from "@platform-rpc/types-internal";
import { internalRpcError, invalidFields } from "./reasons.js";

export interface DeviceAuthorizationServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
  /** Where users go to decide. Asked for each time: a port may be known only once it is listened on. */
  readonly verificationUri: () => string;
}

/** DeviceAuthorizationService: messages to the domain and back. */
export function createDeviceAuthorizationService(
  deps: DeviceAuthorizationServiceDeps,
): ServiceImpl<typeof DeviceAuthorizationService> {
  const { operations, validate, verificationUri } = deps;
  return {
    async startDeviceAuthorization(request, context) {
      const call = checkedCall(validate, request, context);
      const result = await operations.startDeviceAuthorization(request, call);
      if (!result.ok) {
        if (result.reason !== "POP_KEY_INVALID") throw internalRpcError(result.reason);
        throw invalidFields([
          { field: "popPublicJwk", description: "must be one public P-256 or Ed25519 key as a JWK" },
        ]);
      }
      const { deviceCode, userCode, expiresInSeconds, intervalSeconds } = result;
      return {
        deviceCode,
        userCode,
        verificationUri: verificationUri(),
        verificationUriComplete: `${verificationUri()}?user_code=${userCode}`,
        expiresInSeconds,
        intervalSeconds,
      };
    },

    async getDeviceAuthorization(request, context) {
      const call = checkedCall(validate, request, context);
      const outcome = await operations.getDeviceAuthorization(request, call);
      if (!outcome.ok) throw rpcErrorOf(outcome.reason);
      const { authorization, oauthClientName, status } = outcome;
      return {
        oauthClientId: authorization.oauthClientId,
        oauthClientName,
        scopes: [...authorization.requestedScopes],
        popKeyId: authorization.popKeyId,
        status,
        createdAt: timestampFromMs(authorization.createdAt),
        expiresAt: timestampFromMs(authorization.expiresAt),
      };
    },

    async approveDeviceAuthorization(request, context) {
      const call = checkedCall(validate, request, context);
      const answer = { approve: request.scopes };
      const outcome = await operations.answerDeviceAuthorization(request, answer, call);
      if (!outcome.ok) throw rpcErrorOf(outcome.reason);
      return {};
    },

    async denyDeviceAuthorization(request, context) {
      const call = checkedCall(validate, request, context);
      const outcome = await operations.answerDeviceAuthorization(request, "deny", call);
      if (!outcome.ok) throw rpcErrorOf(outcome.reason);
      return {};
    },
  };
}

type AnswerError = "USER_CODE_INVALID" | "PRINCIPAL_DISABLED" | "DEVICE_AUTHORIZATION_DECIDED" | "SCOPES_NOT_REQUESTED";

function rpcErrorOf(reason: AnswerError): RpcError {
  switch (reason) {
    case "PRINCIPAL_DISABLED":
      return rpcError(reason);
    case "SCOPES_NOT_REQUESTED":
      return invalidFields([{ field: "scopes", description: "must all be among the requested scopes" }]);
    default:
      return internalRpcError(reason);
  }
}
