import type { Clock, Platform, Secrets } from "@platform/server";
import { ownCall, platformTenant } from "./own-call.js";
import { replacePrivateFile } from "./private-file.js";
import { privateOperations } from "./rpc/private-routes.js";

const adminName = "platform-admin";
const lifeSeconds = 60 * 60;

/** The one way to the private operations: a token in a file that the owner of the process alone can read. */
export interface AdminAccess {
  /**
   * Writes a new token when there is none of this start yet, or when half of the last one's life is over. Sets up the
   * administrator first.
   */
  renew(): Promise<void>;
}

/** The platform's administrator: a principal and an OAuth client that may call every private operation and no public one. */
export function createAdminAccess(deps: {
  readonly operations: Platform["operations"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly tokenFile: string;
}): AdminAccess {
  const { operations, secrets, clock, tokenFile } = deps;
  const call = () => ownCall("admin-access", secrets);
  const scopes = [...new Set([...privateOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];
  let renewAt = Number.NEGATIVE_INFINITY;
  let ready = false;

  const setUp = async (): Promise<void> => {
    await operations.setPrincipal({ tenantId: platformTenant, principalId: adminName, active: true }, call());
    await operations.setOauthClient(
      {
        tenantId: platformTenant,
        oauthClientId: adminName,
        name: "Platform administrator",
        allowedOperations: [...privateOperations.keys()],
        enabled: true,
      },
      call(),
    );
    ready = true;
  };

  return {
    async renew() {
      if (clock.now() < renewAt) return;
      if (!ready) await setUp();
      const subject = { tenantId: platformTenant, principalId: adminName, oauthClientId: adminName };
      const { accessToken, expiresAt } = await operations.issueAccessToken({ ...subject, scopes, lifeSeconds }, call());
      await replacePrivateFile(tokenFile, accessToken);
      renewAt = expiresAt - (lifeSeconds * 1000) / 2;
    },
  };
}
