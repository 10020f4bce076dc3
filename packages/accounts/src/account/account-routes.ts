import { type Context, Hono } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { mostDeletions } from "../oauth-clients/grants.js";
import { pageResponse } from "../pages/layout.js";
import { createAccountStore } from "../people/account-store.js";
import { clearBrowser } from "../sessions/session-cookie.js";
import { confirmCodePath, requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { vaultPath } from "../sessions/sign-in-path.js";
import { confirmCodePage } from "../sign-in/sign-in-pages.js";
import { type AccessKind, createAccessControl } from "./access.js";
import { accountPage } from "./account-page.js";
import { allowDeletionsPath, listConnectedSoftware } from "./connected-software.js";
import { deletedPage, deletedPath } from "./deleted-page.js";
import { homePage } from "./home-page.js";
import { removePasskeyPage } from "./remove-passkey-page.js";

const page = "/account";

/** The paths of the forms that end an access. */
const endingForms: readonly (readonly [path: string, kind: AccessKind])[] = [
  ["/account/passkeys/remove", "passkey"],
  ["/account/sessions/end", "session"],
  ["/account/software/end", "software"],
  ["/account/grant/end", "grant"],
];

/** The account page and its forms, which work without scripts. Mount it after `loadSession`. */
export function accountRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const access = createAccessControl(parts);
  const sessions = createSessionStore(parts);

  routes.get("/", (context) =>
    context.get("session") === undefined
      ? pageResponse(context, homePage({ signUp: parts.signUp, apiUrl: parts.apiUrl() }))
      : context.redirect(vaultPath, 303),
  );

  routes.get(page, requireSession(), async (context) => {
    const session = signedIn(context);
    const [listed, software] = await Promise.all([access.list(context), listConnectedSoftware(parts.own, session)]);
    if (listed === undefined) return signedOut(context);
    return pageResponse(context, accountPage({ session, software, ...listed }));
  });

  routes.get(confirmCodePath, requireSession(), (context) => pageResponse(context, confirmCodePage(signedIn(context))));

  routes.get("/account/passkeys/remove", requireRecentSignIn(parts), async (context) => {
    const session = signedIn(context);
    const account = (await accounts.find(session.principalId, callOf(context, "account", session)))?.value;
    const passkey = account?.passkeys.find(({ id }) => id === context.req.query("id"));
    if (account === undefined || passkey === undefined) return context.redirect(page, 303);
    return pageResponse(context, removePasskeyPage(account, passkey, session.displayName));
  });

  for (const [path, kind] of endingForms) {
    routes.post(path, requireRecentSignIn(parts, page), async (context) => {
      const id = await field(context, "id");
      const refused = await access.end(context, kind, id);
      // The page that asks says why.
      if (refused === "RECOVERY_CODE_NEEDED") return context.redirect(`${path}?${new URLSearchParams({ id })}`, 303);
      // The page shows what is left.
      return context.redirect(page, 303);
    });
  }

  routes.post(allowDeletionsPath, requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    const [id, typed] = [await field(context, "id"), await field(context, "deletions")];
    if (id !== "" && /^\d{1,10}$/.test(typed)) {
      const change = { delegationId: id, maxDeletions: Math.min(Number(typed), mostDeletions) };
      await parts.own.changeDelegation(change, callOf(context, "change-delegation", session));
    }
    // The page shows what applies now.
    return context.redirect(page, 303);
  });

  routes.get(deletedPath, (context) =>
    context.get("session") === undefined ? pageResponse(context, deletedPage(parts)) : context.redirect(vaultPath, 303),
  );

  routes.post("/account/sessions/end-all", requireRecentSignIn(parts, page), async (context) => {
    const session = signedIn(context);
    await sessions.endAll(session, callOf(context, "end-sessions", session));
    return signedOut(context);
  });

  routes.post("/sign-out", async (context) => {
    const session = context.get("session");
    if (session !== undefined) await sessions.end(session, session.sessionId, callOf(context, "sign-out", session));
    return signedOut(context);
  });
  return routes;
}

function signedOut(context: Context<AccountsEnvironment>) {
  clearBrowser(context);
  return context.redirect("/sign-in", 303);
}

/** Reads a field of a form. Empty if it is missing. */
async function field(context: Context, name: string): Promise<string> {
  const form = await context.req.formData().catch(() => undefined);
  const value = form?.get(name);
  return typeof value === "string" ? value : "";
}
