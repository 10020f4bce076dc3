import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

/**
 * The attributes of every cookie. With `Secure` and the prefix `__Host-`, no other host and no page without TLS can set or read the
 * cookie. Browsers accept both on `http://accounts.localhost`, except Safari.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6265.html
 */
const attributes = { prefix: "host", secure: true, httpOnly: true, sameSite: "Strict", path: "/" } as const;

/** The name without the prefix. */
export type CookieName = "session" | "ceremony" | "device";

/** Sets a cookie. The browser keeps it for some seconds, or by default until it is closed or until it expires here. */
export function setSecret(context: Context, name: CookieName, token: string, maxAge?: number): void {
  setCookie(context, name, token, maxAge === undefined ? attributes : { ...attributes, maxAge });
}

/** Returns the value of a cookie; undefined if the browser sent none. */
export function readSecret(context: Context, name: CookieName): string | undefined {
  return getCookie(context, name, "host");
}

export function removeSecret(context: Context, name: CookieName): void {
  deleteCookie(context, name, attributes);
}

/** Removes everything of a session that has ended from the browser: the cookie, and what the scripts keep, such as the person's keys. */
export function clearBrowser(context: Context): void {
  removeSecret(context, "session");
  context.header("Clear-Site-Data", '"storage"');
}
