import { type Context, Hono } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { type Page, pageResponse } from "../pages/layout.js";
import { clearBrowser } from "../sessions/session-cookie.js";
import { confirmCodePath, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { securityPath, vaultPath } from "../sessions/sign-in-path.js";
import { confirmCodePage } from "../sign-in/sign-in-pages.js";
import { deletedPage, homePage, resetPage } from "./account-pages.js";

/** The pages of an account outside the vault, and signing out, which works without scripts. Mount them after `loadSession`. */
export function accountRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const sessions = createSessionStore(parts);

  routes.get("/", (context) => pageOrVault(context, homePage(parts)));

  // For bookmarks, and for messages of earlier versions of the command line.
  routes.get("/account", (context) => context.redirect(securityPath, 303));

  routes.get(confirmCodePath, requireSession(), (context) => pageResponse(context, confirmCodePage(signedIn(context))));

  routes.get("/account/deleted", (context) => pageOrVault(context, deletedPage(parts)));

  // Outside of the paths of the worker, which may be what is broken.
  routes.get("/reset", (context) => pageResponse(context, resetPage));

  routes.post("/sign-out", async (context) => {
    const session = context.get("session");
    if (session !== undefined) await sessions.end(session, session.sessionId, callOf(context, "sign-out", session));
    clearBrowser(context);
    return context.redirect("/sign-in", 303);
  });
  return routes;
}

/** Shows a page to visitors. A signed-in person gets to the vault. */
function pageOrVault(context: Context<AccountsEnvironment>, page: Page) {
  return context.get("session") === undefined ? pageResponse(context, page) : context.redirect(vaultPath, 303);
}
