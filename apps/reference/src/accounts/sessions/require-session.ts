import type { Context, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { pageResponse } from "../pages/layout.js";
import { isRecent, type Session } from "./session.js";
import { signInPath } from "./sign-in-path.js";

type SessionMiddleware = MiddlewareHandler<AccountsEnvironment>;

/**
 * Requires a signed-in person: sends the browser to the sign-in page and then to `next`, or answers a script with 401.
 *
 * @param next the page after sign-in, for forms. Default: the requested page.
 */
export function requireSession(next?: string): SessionMiddleware {
  return async (context, pass) => {
    if (context.get("session") !== undefined) return pass();
    if (isScript(context)) return apiError(context, "SIGNED_OUT");
    return reloadAfterLink(context) ?? context.redirect(signInPath(next ?? pathOf(context)), 303);
  };
}

/** Requires a person who signed in within the last 5 minutes. @param next see {@link requireSession} */
export function requireRecentSignIn({ clock }: Pick<AccountsParts, "clock">, next?: string): SessionMiddleware {
  const signedIn = requireSession(next);
  return async (context, pass) => {
    const session = context.get("session");
    if (session === undefined) return signedIn(context, pass);
    if (isRecent(session, clock.now())) return pass();
    if (isScript(context)) return apiError(context, "SIGN_IN_AGAIN");
    return context.redirect(signInPath(next ?? pathOf(context), { again: true }), 303);
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

function isScript(context: Context): boolean {
  return context.req.path.startsWith("/account/api/");
}

function pathOf(context: Context): string {
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}
