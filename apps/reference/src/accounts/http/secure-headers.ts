import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { AccountsEnvironment, AccountsParts } from "./environment.js";

const none = ["'none'"];
const self = ["'self'"];

/**
 * Sets the security headers of every response. Scripts and styles are files of this origin: the policy allows no inline code, no
 * `eval`, and no HTML that a script inserts as text. Only the pages of the console may call the API.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export function accountsSecureHeaders({
  origin,
  apiUrl,
}: Pick<AccountsParts, "origin" | "apiUrl">): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const isConsole = /^\/console(?:\/|$)/.test(context.req.path);
    const connectSrc = isConsole ? [...self, new URL(apiUrl()).origin] : self;
    // First the page: it says where its form leads.
    await next();
    const formTarget = context.get("formTarget");
    const formAction = formTarget === undefined ? self : [...self, sourceOf(formTarget)];
    return headersFor(origin().startsWith("https:"), { connectSrc, formAction })(context, async () => {});
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

function headersFor(
  https: boolean,
  { connectSrc, formAction }: { readonly connectSrc: string[]; readonly formAction: string[] },
): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: self,
      fontSrc: self,
      connectSrc,
      manifestSrc: self,
      formAction,
      baseUri: none,
      frameAncestors: none,
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: none,
    },
    xFrameOptions: "DENY",
    referrerPolicy: "no-referrer",
    crossOriginOpenerPolicy: "same-origin",
    crossOriginResourcePolicy: "same-origin",
    // A browser remembers it for the whole host: never for localhost.
    strictTransportSecurity: https ? "max-age=31536000" : false,
    xXssProtection: false,
    permissionsPolicy: {
      camera: [],
      microphone: [],
      geolocation: [],
      publickeyCredentialsGet: ["self"],
    },
  });
}
