import { Hono } from "hono";
import { callerContract } from "../../rpc/reasons.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { consoleClientId } from "../first-party-clients.js";
import { callOf } from "../http/call-of.js";
import { requireSession, signedIn } from "../sessions/require-session.js";

/** How long a token of the console is valid, in seconds. Ending the session ends the next one. */
const lifeSeconds = 300;

/** What the console may do for the person: call the member API, and delete items. */
const consoleOperations = [
  "platform.v1.VaultService/DeleteItem",
  "platform.accounts.v1.MemberVaultService/ListVaults",
  "platform.accounts.v1.MemberVaultService/ListChanges",
  "platform.accounts.v1.MemberVaultService/GetItem",
  "platform.accounts.v1.MemberVaultService/RestoreItem",
];

/** The endpoints that the console calls with the session of the browser. Mount them after `loadSession`. */
export function consoleApi({ own, apiUrl }: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const scopes = consoleOperations.flatMap((name) => [...(callerContract.operations.get(name)?.requiredScopes ?? [])]);

  routes.get("/account/api/console", requireSession(), (context) => {
    const { tenantId, principalId, displayName } = signedIn(context);
    const described = { tenantId, principalId, displayName, apiUrl: apiUrl() };
    return context.json(described, 200, { "Cache-Control": "no-store" });
  });

  routes.post("/account/api/token", requireSession(), async (context) => {
    const session = signedIn(context);
    const { tenantId, principalId } = session;
    const subject = { tenantId, principalId, oauthClientId: consoleClientId };
    const call = callOf(context, "issue-console-token", session);
    const { accessToken, expiresAt } = await own.issueAccessToken({ ...subject, scopes, lifeSeconds }, call);
    const issued = { accessToken, expiresAt: new Date(expiresAt).toISOString() };
    return context.json(issued, 200, { "Cache-Control": "no-store" });
  });
  return routes;
}
