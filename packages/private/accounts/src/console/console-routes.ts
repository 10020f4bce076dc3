import { readFileSync } from "node:fs";
import { Hono } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { RequestError } from "../http/request-error.js";
import type { OAuthParts } from "../oauth/oauth-parts.js";
import { createAssetHandler } from "../pages/assets.js";
import type { Account } from "../people/account.js";
import { createAccountStore } from "../people/account-store.js";
import { memberKeys } from "../people/member-keys.js";
import type { Session } from "../people/session.js";
import { requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { createUnlocks } from "../unlocks/unlocks.js";
import { createConsoleTokens } from "./console-tokens.js";
import { createOfflineShell } from "./offline-shell.js";

/**
 * Serves the console, a single page, to people who are signed in. The names of its scripts contain a hash, so that browsers keep them.
 * They contain nothing of a person.
 */
export function consoleRoutes({ assets }: Pick<AccountsParts, "assets">): Hono<AccountsEnvironment> {
  const folder = new URL("console/", assets);
  const page = readFileSync(new URL("index.html", folder), "utf8");
  const serve = createAssetHandler(new URL("assets/", folder));
  const offline = createOfflineShell(assets, page);
  const routes = new Hono<AccountsEnvironment>();
  routes.get("/console/assets/:name", (context) => {
    const name = context.req.param("name");
    if (name === offline.name) return context.html(offline.html, 200, { "Cache-Control": "no-cache" });
    if (name !== "offline-worker.js") return serve(context, name);
    return context.body(offline.worker, 200, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "no-cache",
      "Service-Worker-Allowed": "/console",
    });
  });
  for (const path of ["/console", "/console/*"]) {
    routes.get(path, requireSession(), (context) => context.html(offline.served));
  }
  return routes;
}

/** The endpoints that the console calls with the session of the browser. Mount them after `loadSession`. */
export function consoleApi(parts: AccountsParts & Pick<OAuthParts, "mcp">): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const { apiUrl, mcp } = parts;
  const tokens = createConsoleTokens(parts);
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const unlocks = createUnlocks(parts);

  routes.get("/account/api/console", requireSession(), async (context) => {
    const session = signedIn(context);
    const account = (await accounts.find(session.principalId, callOf(context, "account", session)))?.value;
    return context.json(describedSession(session, account, { apiUrl, mcpUrl: mcp?.url }));
  });

  // What unlocks the browser without a network. Only a passkey of the person, or their recovery code, opens it.
  routes.get("/account/api/wrapped-keys", requireSession(), async (context) => {
    const session = signedIn(context);
    const { tenantId, principalId } = session;
    const call = callOf(context, "account", session);
    const account = (await accounts.find(principalId, call))?.value;
    const stored = memberKeys.open(await parts.own.getRecord(memberKeys.key(tenantId, principalId), call));
    if (account === undefined || stored === undefined) throw new RequestError("NO_SIGNING_KEY");
    const passkeys = account.passkeys.map(({ id, wrappedKeys }) => ({ id, wrappedKeys }));
    const { certificates, removed } = await unlocks.certificates(call);
    return context.json({
      ...{ passkeys, recovery: account.recovery?.wrappedKeys, memberKeys: stored.value.sealed },
      // What these programs have written is verified without a network, too.
      certificates: { certificates, removed },
    });
  });

  routes.post("/account/api/token", requireSession(), async (context) => {
    const session = signedIn(context);
    const token = await tokens.get(session, callOf(context, "issue-console-token", session));
    if (token === undefined) throw new RequestError("SIGNED_OUT");
    const { accessToken, expiresAt } = token;
    const issued = { accessToken, expiresAt: new Date(expiresAt).toISOString() };
    return context.json(issued);
  });

  // Programs of the person keep their keys and tokens.
  routes.post("/account/api/lock", requireSession(), async (context) => {
    const session = signedIn(context);
    await sessions.lock(session, session.sessionId, callOf(context, "lock", session));
    return context.json({});
  });

  // The person has signed out without a network. It clears no browser: somebody may sign in there at the same time.
  routes.post("/account/api/sign-out", requireSession(), async (context) => {
    const session = signedIn(context);
    await sessions.end(session, session.sessionId, callOf(context, "sign-out", session));
    return context.json({});
  });
  return routes;
}

/** @param addresses of the API, and of the hosted MCP server; undefined if the platform has none. */
export function describedSession(
  { tenantId, principalId, displayName }: Session,
  account: Account | undefined,
  addresses: { readonly apiUrl: string; readonly mcpUrl: string | undefined },
) {
  const recoveryCodeMissing = account !== undefined && account.recovery === undefined;
  return { tenantId, principalId, displayName, ...addresses, recoveryCodeMissing };
}
