import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { AccountsEnvironment, AccountsParts } from "./environment.js";

/** The headers that are the same in every response. */
const fixed = secureHeaders({
  xFrameOptions: "DENY",
  referrerPolicy: "no-referrer",
  crossOriginOpenerPolicy: "same-origin",
  crossOriginResourcePolicy: "same-origin",
  strictTransportSecurity: false,
  xXssProtection: false,
  permissionsPolicy: {
    camera: [],
    microphone: [],
    geolocation: [],
    publickeyCredentialsGet: ["self"],
  },
});

/**
 * Sets the security headers of every response. Scripts and styles are files of this origin: the policy allows no inline code, no
 * `eval`, and no HTML that a script inserts as text. They call this origin only.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export function accountsSecureHeaders({
  origin,
}: Pick<AccountsParts, "origin">): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    // First the page: it says where its form leads.
    await fixed(context, next);
    const isConsole = /^\/console(?:\/|$)/.test(context.req.path);
    const formTarget = context.get("formTarget");
    const policy = contentSecurityPolicy({
      // The vault opens and imports items, and judges passwords, in workers, whose URLs a policy of its script must admit.
      trustedTypes: isConsole ? "vault-worker vault-import vault-strength vault-offline" : "'none'",
      // So does the worker with which the vault opens without a network.
      workers: isConsole ? "'self'" : "'none'",
      formAction: formTarget === undefined ? undefined : sourceOf(formTarget),
    });
    const { headers } = context.res;
    headers.set("Content-Security-Policy", policy);
    // A browser remembers it for the whole host: never for localhost.
    if (origin.startsWith("https:")) headers.set("Strict-Transport-Security", "max-age=31536000");
  };
}

/**
 * Returns the source expression of a redirect URI. After a redirect, browsers compare its scheme, host and port only. There is no
 * expression for an IPv6 address: the narrowest that admits one is its port at any host.
 */
function sourceOf(redirectUri: string): string {
  const { protocol, host, hostname, port, pathname } = new URL(redirectUri);
  if (!/^https?:$/.test(protocol)) return protocol;
  if (hostname.startsWith("[")) return `${protocol}//*${port === "" ? "" : `:${port}`}`;
  return `${protocol}//${host}${pathname.replaceAll(";", "%3B").replaceAll(",", "%2C")}`;
}

/** @param also where the forms of the pages may lead, besides this origin, which policies may make trusted types, and whose workers run. */
function contentSecurityPolicy(also: {
  readonly formAction: string | undefined;
  readonly trustedTypes: string;
  readonly workers: string;
}): string {
  const andSelf = (source: string | undefined) => (source === undefined ? "'self'" : `'self' ${source}`);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `worker-src ${also.workers}`,
    `form-action ${andSelf(also.formAction)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${also.trustedTypes}`,
  ].join("; ");
}
