import type { Call } from "@platform-rpc/server";
import type { Secrets } from "@platform-rpc/server/host";

export const platformTenant = "platform";

/** For a call that the app makes itself, without a caller. The audit trail records the name of its operation. */
export function ownCall(operation: string, secrets: Pick<Secrets, "newId">): Call {
  return {
    actor: {
      tenantId: platformTenant,
      principalId: "",
      oauthClientId: "",
      tokenId: "",
      operation,
      requestId: secrets.newId(),
    },
    wanted: () => true,
  };
}
