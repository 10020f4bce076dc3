import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

const none = ["'none'"];
const self = ["'self'"];

/**
 * Sets the security headers of every response. Scripts and styles are files of this origin: the policy allows no inline code, no
 * `eval`, and no HTML that a script inserts as text.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export function accountsSecureHeaders(origin: () => string): MiddlewareHandler {
  return async (context, next) => headersFor(origin().startsWith("https:"))(context, next);
}

function headersFor(https: boolean): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: none,
      scriptSrc: self,
      styleSrc: self,
      imgSrc: self,
      fontSrc: self,
      connectSrc: self,
      manifestSrc: self,
      formAction: self,
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
