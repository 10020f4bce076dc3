import type { Context, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { formOf } from "../http/error-forms.js";
import { RequestError } from "../http/request-error.js";
import { pageResponse } from "../pages/layout.js";
import { createAccountStore } from "../people/account-store.js";
import { isRecent, type Session } from "../people/session.js";
import { readSecret } from "./session-cookie.js";
import { createSessionStore } from "./session-store.js";
import { signInPath } from "./sign-in-path.js";

/** What a locked browser may still ask for: to be unlocked, to sign out, and whether its session has ended. */
const whileLocked = /^\/(?:sign-in|sign-out|account\/api\/(?:session|lock|sign-out|sign-in\/(?:begin|finish)))$/;

/**
 * Finds the session of the request's cookie, and puts it into the context. The request extends the session, unless its header says that a
 * page sent it while nobody used it, or its method only looks. Every route but those that unlock the browser ignores a locked session.
 */
export function loadSession(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const sessions = createSessionStore(parts);
  return async (context, next) => {
    const token = readSecret(context, "session");
    const call = callOf(context, "session", { tenantId: parts.tenantId, principalId: "" });
    const looks = context.req.method === "HEAD" || context.req.method === "OPTIONS";
    const extend = !looks && context.req.header("X-Person-Active") !== "no";
    const session = token === undefined ? undefined : await sessions.find(token, { extend }, call);
    context.set("session", session?.locked && !whileLocked.test(context.req.path) ? undefined : session);
    await next();
  };
}

type SessionMiddleware = MiddlewareHandler<AccountsEnvironment>;

/** Requires a signed-in person: sends the browser to the sign-in page and then to the requested page, or answers a script with 401. */
export function requireSession(): SessionMiddleware {
  return async (context, pass) => {
    if (context.get("session") !== undefined) return pass();
    if (formOf(context.req.path) === "api") throw new RequestError("SIGNED_OUT");
    return reloadAfterLink(context) ?? context.redirect(signInPath(pathOf(context)), 303);
  };
}

/** Requires a person who signed in within the last 5 minutes. For scripts. */
export function requireRecentSignIn({ clock }: Pick<AccountsParts, "clock">): SessionMiddleware {
  const signedIn = requireSession();
  return async (context, pass) => {
    const session = context.get("session");
    if (session === undefined || isRecent(session, clock.now())) return signedIn(context, pass);
    throw new RequestError("SIGN_IN_AGAIN");
  };
}

/**
 * Reloads a page that was opened by a link on another site; undefined if it was not. With the link, the browser sends no cookie,
 * because it is SameSite=Strict, and people would seem to be signed out. It sends it with the reload.
 */
export function reloadAfterLink(context: Context) {
  if (context.req.header("Sec-Fetch-Site") !== "cross-site") return undefined;
  const path = pathOf(context);
  const body = html`<meta http-equiv="refresh" content="0; url=${path}"><p><a href="${path}">Continue</a></p>`;
  return pageResponse(context, { title: "One moment", body });
}

/** Returns the session of a route after {@link requireSession}. @throws TypeError when the route does not require one. */
export function signedIn(context: Context<AccountsEnvironment>): Session {
  const session = context.get("session");
  if (session === undefined) throw new TypeError(`${context.req.path} does not require a session: use requireSession.`);
  return session;
}

function pathOf(context: Context): string {
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}

const withoutPages = /^\/(?:account\/api|console\/assets)(?:\/|$)/;

/** What the scripts of pages do not get before the code is confirmed: tokens, new passkeys, keys for programs, exports, and the end of items and the account. */
const refusedToScripts =
  /^\/account\/api\/(?:token|passkeys\/begin|exports|items\/delete-for-ever|person\/delete|unlocks\/[^/]+)$/;

export const confirmCodePath = "/account/confirm-recovery-code";

/** The pages that a person may open before they confirm their code: to do that, to create a new one, or to leave. */
const withoutConfirmation: ReadonlySet<string> = new Set([confirmCodePath, "/sign-in", "/sign-out"]);

/**
 * Finds out what the signed-in person has to do about their recovery code. If they have not stored one, every page reminds them: without
 * one, losing their passkey loses their items. If a restore undid a change of it, every page asks them to confirm it first. Mount it
 * after `loadSession`.
 */
export function checkRecoveryCode(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const accounts = createAccountStore(parts);
  return async (context, next) => {
    const session = context.get("session");
    const { path } = context.req;
    const refused = refusedToScripts.test(path);
    if (session === undefined || (withoutPages.test(path) && !refused)) return next();
    const account = (await accounts.find(session.principalId, callOf(context, "account", session)))?.value;
    if (account?.mustConfirmCode === true && refused) throw new RequestError("CODE_NOT_CONFIRMED");
    if (account?.mustConfirmCode === true && !withoutConfirmation.has(path)) {
      return context.redirect(confirmCodePath, 303);
    }
    context.set("recoveryCodeMissing", account !== undefined && account.recovery === undefined);
    return next();
  };
}
