import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { rpcErrorOf } from "@platform-rpc/accounts/contract/private-contract";
import type { Platform } from "@platform-rpc/server";
import { type Bounds, handle, type RequestValidator, vaultActions } from "@platform-rpc/server/host";
import type { Bounds as BoundsMessage, DeviceAuthorizationService } from "@platform-rpc/types-internal";

export interface DeviceAuthorizationServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
  /** The URL where users approve. */
  readonly verificationUri: string;
}

const startError = rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/StartDeviceAuthorization");
const approveError = rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/ApproveDeviceAuthorization");
const denyError = rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/DenyDeviceAuthorization");
const popKeyInvalid = { field: "popPublicJwk", description: "must be one public P-256 or Ed25519 key as a JWK" };
const scopesNotRequested = { field: "scopes", description: "must all be among the requested scopes" };

export function createDeviceAuthorizationService(
  deps: DeviceAuthorizationServiceDeps,
): ServiceImpl<typeof DeviceAuthorizationService> {
  const { operations, validate, verificationUri } = deps;
  return {
    startDeviceAuthorization: handle({
      validate,
      error: startError,
      run: (request, call) => operations.startDeviceAuthorization(request, call),
      answer: ({ deviceCode, userCode, expiresInSeconds, intervalSeconds }) => ({
        deviceCode,
        userCode,
        verificationUri,
        verificationUriComplete: `${verificationUri}?user_code=${userCode}`,
        expiresInSeconds,
        intervalSeconds,
      }),
      errors: { POP_KEY_INVALID: () => startError("INVALID_FIELD", { violations: [popKeyInvalid] }) },
    }),

    getDeviceAuthorization: handle({
      validate,
      error: rpcErrorOf("platform.internal.v1.DeviceAuthorizationService/GetDeviceAuthorization"),
      run: (request, call) => operations.getDeviceAuthorization(request, call),
      answer: ({ authorization, oauthClientName, status }) => ({
        oauthClientId: authorization.oauthClientId,
        oauthClientName,
        scopes: [...authorization.requestedScopes],
        popKeyId: authorization.popKeyId,
        status,
        createdAt: timestampFromMs(authorization.createdAt),
        expiresAt: timestampFromMs(authorization.expiresAt),
      }),
    }),

    approveDeviceAuthorization: handle({
      validate,
      error: approveError,
      run(request, call) {
        const answer = { approve: request.scopes, bounds: request.bounds && boundsIn(request.bounds) };
        return operations.answerDeviceAuthorization(request, answer, call);
      },
      answer: () => ({}),
      errors: { SCOPES_NOT_REQUESTED: () => approveError("INVALID_FIELD", { violations: [scopesNotRequested] }) },
    }),

    denyDeviceAuthorization: handle({
      validate,
      error: denyError,
      run: (request, call) => operations.answerDeviceAuthorization(request, "deny", call),
      answer: () => ({}),
      errors: { SCOPES_NOT_REQUESTED: () => denyError("INVALID_FIELD", { violations: [scopesNotRequested] }) },
    }),
  };
}

/** The last millisecond of the year 9999. */
const longestDate = 253_402_300_799_999;

/** Reads bounds. A message cannot tell an empty list from an absent one: it does not limit anything. */
function boundsIn({ vaultIds, actions, hosts, expiresAt, ...others }: BoundsMessage): Bounds {
  const { maxDeletions, maxUses, asksEachTime } = others;
  return {
    vaults: vaultIds.length === 0 ? undefined : vaultIds,
    actions: actions.length === 0 ? undefined : vaultActions.filter((action) => actions.includes(action)),
    maxDeletions,
    maxUses,
    hosts: hosts.length === 0 ? undefined : hosts,
    asksEachTime,
    // A binary message can contain a time that no date has.
    expiresAt: expiresAt && Math.min(timestampMs(expiresAt), longestDate),
  };
}
