import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import type { AccountsEnvironment } from "./environment.js";

/** Creates the context of a call that a request of a person makes. The audit trail records the person and the operation. */
export function callOf(
  context: Context<AccountsEnvironment>,
  operation: string,
  { tenantId, principalId }: { readonly tenantId: string; readonly principalId: string },
): Call {
  return callIn(context, { tenantId, principalId, oauthClientId: "", operation: `accounts/${operation}` });
}

/** Creates the context of an operation that a public OAuth client calls. The audit trail records the path of the endpoint. */
export function oauthCall(
  context: Context<AccountsEnvironment>,
  { tenantId, oauthClientId }: { readonly tenantId: string; readonly oauthClientId: string },
): Call {
  return callIn(context, { tenantId, principalId: "", oauthClientId, operation: `accounts${context.req.path}` });
}

function callIn(context: Context<AccountsEnvironment>, actor: Omit<Call["actor"], "tokenId" | "requestId">): Call {
  return {
    actor: { ...actor, tokenId: "", requestId: context.get("requestId") },
    wanted: context.get("wanted"),
  };
}
