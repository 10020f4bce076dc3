import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkedCall, type Platform, publicOperations, type RequestValidator } from "@platform-rpc/server";
import type { AccessAdminService } from "@platform-rpc/types-internal";

export interface AccessAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: RequestValidator;
}

const publicOnly = "must name a public operation, as <package>.<Service>/<Method> without a leading slash";

/** Implements AccessAdminService: converts between messages and operations. */
export function createAccessAdminService(deps: AccessAdminServiceDeps): ServiceImpl<typeof AccessAdminService> {
  const { operations, validate } = deps;
  return {
    async issueAccessToken(request, context) {
      const call = checkedCall(validate, request, context);
      const { tenantId, principalId, oauthClientId, scopes, expiresInSeconds } = request;
      const input = { tenantId, principalId, oauthClientId, scopes, lifeSeconds: expiresInSeconds };
      const { accessToken, tokenId, expiresAt } = await operations.issueAccessToken(input, call);
      return { accessToken, tokenId, expiresAt: timestampFromMs(expiresAt) };
    },

    async revokeToken(request, context) {
      const call = checkedCall(validate, request, context);
      await operations.revokeToken(request.tokenId, call);
      return {};
    },

    async setOauthClient(request, context) {
      const { tenantId, oauthClientId, name, allowedOperations, enabled } = request;
      const unknown = [...allowedOperations.entries()].filter(([, operation]) => !publicOperations.has(operation));
      const violations = unknown.map(([index]) => ({ field: `allowedOperations[${index}]`, description: publicOnly }));
      const call = checkedCall(validate, request, context, violations);
      const oauthClient = { tenantId, oauthClientId, name, allowedOperations, enabled };
      await operations.setOauthClient(oauthClient, call);
      return {};
    },

    async setPrincipal(request, context) {
      const call = checkedCall(validate, request, context);
      const { tenantId, principalId, active } = request;
      await operations.setPrincipal({ tenantId, principalId, active }, call);
      return {};
    },
  };
}
