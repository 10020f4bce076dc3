import type { Call, Secrets } from "@platform-rpc/server";

/** The tenant of the app's own calls. */
export const platformTenant = "platform";

/** Creates the context of a call that the app makes itself, without a caller. The audit trail records its operation's name. */
export function ownCall(operation: string, secrets: Secrets): Call {
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
