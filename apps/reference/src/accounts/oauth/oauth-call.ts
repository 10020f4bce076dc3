import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";

/** Creates the context of an operation that a public OAuth client calls. The audit trail records the path of the endpoint. */
export function oauthCall(
  context: Context<AccountsEnvironment>,
  { tenantId, oauthClientId }: { readonly tenantId: string; readonly oauthClientId: string },
): Call {
  return {
    actor: {
      tenantId,
      principalId: "",
      oauthClientId,
      tokenId: "",
      operation: `accounts${context.req.path}`,
      requestId: context.get("requestId"),
    },
    wanted: context.get("wanted"),
  };
}
