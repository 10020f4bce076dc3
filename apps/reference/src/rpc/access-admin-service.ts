import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { callOf, type Platform, publicOperations } from "@platform/server";
import type { AccessAdminService } from "@platform/types-internal";
import type { Validate } from "./private-routes.js";
import { refuseFields } from "./reasons.js";

export interface AccessAdminServiceDeps {
  readonly operations: Platform["operations"];
  readonly validate: Validate;
}

/** AccessAdminService: messages to the domain and back. */
export function createAccessAdminService(deps: AccessAdminServiceDeps): ServiceImpl<typeof AccessAdminService> {
  const { operations, validate } = deps;
  return {
    async issueAccessToken(request, context) {
      const violations = validate(request);
      if (violations.length > 0) throw refuseFields(violations);
      const { tenantId, principalId, oauthClientId, scopes, expiresInSeconds } = request;
      const input = { tenantId, principalId, oauthClientId, scopes, lifeSeconds: expiresInSeconds };
      const { accessToken, tokenId, expiresAt } = await operations.issueAccessToken(input, callOf(context));
      return { accessToken, tokenId, expiresAt: timestampFromMs(expiresAt) };
    },

    async revokeToken(request, context) {
      const violations = validate(request);
      if (violations.length > 0) throw refuseFields(violations);
      await operations.revokeToken(request.tokenId, callOf(context));
      return {};
    },

    async setOauthClient(request, context) {
      const { tenantId, oauthClientId, name, allowedOperations, enabled } = request;
      const violations = validate(request);
      for (const [index, operation] of allowedOperations.entries()) {
        if (publicOperations.has(operation)) continue;
        violations.push({
          field: `allowedOperations[${index}]`,
          description: "must name a public operation, as <package>.<Service>/<Method> without a leading slash",
        });
      }
      if (violations.length > 0) throw refuseFields(violations);
      const oauthClient = { tenantId, oauthClientId, name, allowedOperations, enabled };
      await operations.setOauthClient(oauthClient, callOf(context));
      return {};
    },

    async setPrincipal(request, context) {
      const violations = validate(request);
      if (violations.length > 0) throw refuseFields(violations);
      const { tenantId, principalId, active } = request;
      await operations.setPrincipal({ tenantId, principalId, active }, callOf(context));
      return {};
    },
  };
}
