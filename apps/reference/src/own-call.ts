import type { Call, Secrets } from "@platform-rpc/server";

/** The tenant that the app itself acts in. */
export const platformTenant = "platform";

/** A call that the app makes of its own accord, for no caller: the audit trail shows it by the operation's name. */
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
