import { Hono } from "hono";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";
import { requireSession, signedIn } from "../sessions/require-session.js";
import { createConsoleTokens } from "./console-tokens.js";

/** The endpoints that the console calls with the session of the browser. Mount them after `loadSession`. */
export function consoleApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const { apiUrl } = parts;
  const tokens = createConsoleTokens(parts);
  const accounts = createAccountStore(parts);

  routes.get("/account/api/console", requireSession(), async (context) => {
    const session = signedIn(context);
    const { tenantId, principalId, displayName } = session;
    const account = await accounts.find(principalId, callOf(context, "account", session));
    const recoveryCodeMissing = account !== undefined && account.recovery === undefined;
    const described = { tenantId, principalId, displayName, apiUrl: apiUrl(), recoveryCodeMissing };
    return context.json(described, 200, { "Cache-Control": "no-store" });
  });

  routes.post("/account/api/token", requireSession(), async (context) => {
    const session = signedIn(context);
    const token = await tokens.get(session, callOf(context, "issue-console-token", session));
    if (token === undefined) return apiError(context, "SIGNED_OUT");
    const { accessToken, expiresAt } = token;
    const issued = { accessToken, expiresAt: new Date(expiresAt).toISOString() };
    return context.json(issued, 200, { "Cache-Control": "no-store" });
  });
  return routes;
}
