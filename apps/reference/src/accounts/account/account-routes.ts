import { type Context, Hono } from "hono";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { callOf } from "../http/call-of.js";
import { pageResponse } from "../pages/layout.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/require-session.js";
import { removeSecret } from "../sessions/session-cookie.js";
import { createSessionStore } from "../sessions/session-store.js";
import { accountPage } from "./account-page.js";
import { listConnectedSoftware } from "./connected-software.js";

const page = "/account";

/** The account page and its forms, which work without scripts. Mount it after `loadSession`. */
export function accountRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);

  routes.get("/", (context) => context.redirect(page, 302));

  routes.get(page, requireSession(), async (context) => {
    const session = signedIn(context);
    const account = await accounts.find(session.principalId, callOf(context, "account", session));
    if (account === undefined) return signedOut(context);
    const [listed, software] = await Promise.all([sessions.list(session), listConnectedSoftware(parts.own, session)]);
    return pageResponse(context, accountPage({ session, account, sessions: listed, software }));
  });

  routes.post("/account/passkeys/remove", requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    const id = await field(context, "id");
    const call = callOf(context, "remove-passkey", session);
    const account = await accounts.find(session.principalId, call);
    if (account?.passkeys.some((passkey) => passkey.id === id)) {
      const passkeys = account.passkeys.filter((passkey) => passkey.id !== id);
      const event = { subject: `passkey:${account.accountId}/${id}`, event: "removed" };
      // If the account was changed in between, the page shows that the passkey is still there.
      await accounts.replace({ ...account, passkeys }, event, call);
    }
    return context.redirect(page, 303);
  });

  routes.post("/account/sessions/end", requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    await sessions.end(session, await field(context, "id"), callOf(context, "end-session", session));
    return context.redirect(page, 303);
  });

  routes.post("/account/sessions/end-all", requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    await sessions.endAll(session, callOf(context, "end-sessions", session));
    return signedOut(context);
  });

  routes.post("/account/software/end", requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    // An id that is unknown, or of another person, changes nothing.
    await parts.own.revokeRefreshFamily(await field(context, "id"), callOf(context, "end-software", session));
    return context.redirect(page, 303);
  });

  routes.post("/sign-out", async (context) => {
    const session = context.get("session");
    if (session !== undefined) await sessions.end(session, session.sessionId, callOf(context, "sign-out", session));
    return signedOut(context);
  });
  return routes;
}

/** Removes everything of the session from the browser: the cookie, and the keys that the scripts keep. */
function signedOut(context: Context<AccountsEnvironment>) {
  removeSecret(context, "session");
  context.header("Clear-Site-Data", '"storage"');
  return context.redirect("/sign-in", 303);
}

/** Reads a field of a form. Empty if it is missing. */
async function field(context: Context, name: string): Promise<string> {
  const form = await context.req.formData().catch(() => undefined);
  const value = form?.get(name);
  return typeof value === "string" ? value : "";
}
