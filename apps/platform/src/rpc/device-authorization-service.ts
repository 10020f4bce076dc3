import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { rpcErrorOf } from "@platform-rpc/accounts/contract/private-contract";
import { checkedMethod, type Platform } from "@platform-rpc/server";
import {
  type Bounds,
  type RequestValidator,
  type RpcError,
  type RpcErrorOptions,
  vaultActions,
} from "@platform-rpc/server/host";
import type { Bounds as BoundsMessage, DeviceAuthorizationService } from "@platform-rpc/types-internal";

export interface DeviceAuthorizationServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
  /** Returns the URL where users approve. Called each time: the port may be known only once the listener is open. */
  readonly verificationUri: () => string;
}

const startError = rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/StartDeviceAuthorization");
const popKeyInvalid = { field: "popPublicJwk", description: "must be one public P-256 or Ed25519 key as a JWK" };
const scopesNotRequested = { field: "scopes", description: "must all be among the requested scopes" };

/** Implements DeviceAuthorizationService: converts between messages and operations. */
export function createDeviceAuthorizationService(
  deps: DeviceAuthorizationServiceDeps,
): ServiceImpl<typeof DeviceAuthorizationService> {
  const { operations, validate, verificationUri } = deps;
  return {
    startDeviceAuthorization: checkedMethod(validate, async (request, call) => {
      const result = await operations.startDeviceAuthorization(request, call);
      if (!result.ok) {
        if (result.reason !== "POP_KEY_INVALID") throw startError(result.reason);
        throw startError("INVALID_FIELD", { violations: [popKeyInvalid] });
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
    }),

    getDeviceAuthorization: checkedMethod(validate, async (request, call) => {
      const outcome = await operations.getDeviceAuthorization(request, call);
      if (!outcome.ok)
        throw rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/GetDeviceAuthorization")(outcome.reason);
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
    }),

    approveDeviceAuthorization: checkedMethod(validate, async (request, call) => {
      const answer = { approve: request.scopes, bounds: request.bounds && boundsIn(request.bounds) };
      const outcome = await operations.answerDeviceAuthorization(request, answer, call);
      if (!outcome.ok)
        throw answerError(
          outcome.reason,
          rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/ApproveDeviceAuthorization"),
        );
      return {};
    }),

    denyDeviceAuthorization: checkedMethod(validate, async (request, call) => {
      const outcome = await operations.answerDeviceAuthorization(request, "deny", call);
      if (!outcome.ok)
        throw answerError(
          outcome.reason,
          rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/DenyDeviceAuthorization"),
        );
      return {};
    }),
  };
}

/** The last millisecond of the year 9999. */
const longestDate = 253_402_300_799_999;

/** Reads bounds. A message cannot tell an empty list from an absent one: it does not limit anything. */
function boundsIn({ vaultIds, actions, maxDeletions, expiresAt }: BoundsMessage): Bounds {
  return {
    vaults: vaultIds.length === 0 ? undefined : vaultIds,
    actions: actions.length === 0 ? undefined : vaultActions.filter((action) => actions.includes(action)),
    maxDeletions,
    // A binary message can contain a time that no date has.
    expiresAt: expiresAt && Math.min(timestampMs(expiresAt), longestDate),
  };
}

/** Creates the error of an approval or a denial, which fail for the same reasons. */
function answerError(
  reason: AnswerReason | "SCOPES_NOT_REQUESTED",
  createError: (reason: AnswerReason | "INVALID_FIELD", extras?: RpcErrorOptions) => RpcError,
): RpcError {
  if (reason === "SCOPES_NOT_REQUESTED") return createError("INVALID_FIELD", { violations: [scopesNotRequested] });
  return createError(reason);
}

type AnswerReason = "USER_CODE_INVALID" | "PRINCIPAL_DISABLED" | "DEVICE_AUTHORIZATION_DECIDED";
