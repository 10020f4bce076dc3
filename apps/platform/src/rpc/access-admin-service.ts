import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { callerContract } from "@platform-rpc/accounts/contract/private-contract";
import { checkedMethod, type Platform } from "@platform-rpc/server";
import { isRedirectUri, type RequestValidator } from "@platform-rpc/server/host";
import type { AccessAdminService } from "@platform-rpc/types-internal";

export interface AccessAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
}

const callersOnly =
  "must name an operation of platform.v<n> or platform.accounts.v1, as <package>.<Service>/<Method> without a leading slash";

const unregistrable =
  "must be a loopback `http` URI, an `https` URI, or an app's scheme that contains a dot, followed by `:/`; without fragment and user information";

export function createAccessAdminService(deps: AccessAdminServiceDeps): ServiceImpl<typeof AccessAdminService> {
  const { operations, validate } = deps;
  return {
    issueAccessToken: checkedMethod(validate, async (request, call) => {
      const { tenantId, principalId, oauthClientId, scopes, expiresInSeconds } = request;
      const input = { tenantId, principalId, oauthClientId, scopes, lifeSeconds: expiresInSeconds };
      const { accessToken, tokenId, expiresAt } = await operations.issueAccessToken(input, call);
      return { accessToken, tokenId, expiresAt: timestampFromMs(expiresAt) };
    }),

    revokeToken: checkedMethod(validate, async (request, call) => {
      await operations.revokeToken(request.tokenId, call);
      return {};
    }),

    setOauthClient: checkedMethod(
      validate,
      async (request, call) => {
        const { tenantId, oauthClientId, name, allowedOperations, enabled } = request;
        const { redirectUris, grantTypes, requirePushedAuthorizationRequests, unbounded } = request;
        const registration = { redirectUris, grantTypes, requirePushedAuthorizationRequests, unbounded };
        const client = { tenantId, oauthClientId, name, allowedOperations, enabled, ...registration };
        const stored = await operations.setOauthClient(client, call);
        const lists = {
          allowedOperations: [...stored.allowedOperations],
          redirectUris: [...stored.redirectUris],
          grantTypes: [...stored.grantTypes],
        };
        return { oauthClient: { ...stored, ...lists, unbounded: stored.unbounded === true } };
      },
      ({ allowedOperations, redirectUris }) => {
        const { operations: known } = callerContract;
        const unknown = [...allowedOperations.entries()].filter(([, operation]) => !known.has(operation));
        const rejected = [...redirectUris.entries()].filter(([, uri]) => !isRedirectUri(uri));
        return [
          ...unknown.map(([index]) => ({ field: `allowedOperations[${index}]`, description: callersOnly })),
          ...rejected.map(([index]) => ({ field: `redirectUris[${index}]`, description: unregistrable })),
        ];
      },
    ),

    setPrincipal: checkedMethod(validate, async (request, call) => {
      const { tenantId, principalId, active } = request;
      await operations.setPrincipal({ tenantId, principalId, active }, call);
      return {};
    }),
  };
}
