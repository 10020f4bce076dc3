import type { HttpBindings } from "@hono/node-server";
import type { Clock, Document, Logger, Operations, Platform } from "@platform-rpc/server";
import type { GuessLimiter, RateLimiter } from "@platform-rpc/server/host";
import type { Session } from "../people/session.js";

/** What the handlers of the accounts origin find in their Hono context. */
export interface AccountsEnvironment {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** The id of the request: in the log, in the audit trail, and in the `X-Request-Id` header of the response. */
    readonly requestId: string;
    /** Returns whether the caller still waits for the response, and its deadline has not passed. */
    readonly wanted: () => boolean;
    /** The signed-in person. */
    readonly session: Session | undefined;
    /** The URL of a client to which the form of the page leads, besides this origin. */
    readonly formTarget: string | undefined;
    /** Whether the signed-in person has not stored a recovery code yet. Undefined: not known, or nobody is signed in. */
    readonly recoveryCodeMissing: boolean | undefined;
  };
}

/** What the accounts listener needs. */
export interface AccountsParts {
  /** The tenant whose people sign in. */
  readonly tenantId: string;
  /** The origin of the pages, such as `https://accounts.example`. Cookies and passkeys belong to its host name, on every port. */
  readonly origin: string;
  /** The origin of what programs call. It differs from that of the pages on a machine without TLS. */
  readonly issuer: string;
  /** The URL of the API, with the base path. */
  readonly apiUrl: string;
  readonly platform: Pick<Platform, "keyRing" | "secrets" | "authenticator" | "clockWatch">;
  /** For requests of callers: they limit wrong user codes. */
  readonly operations: Operations;
  /** For the app's own work. */
  readonly own: Operations;
  /** Limit what callers may do before they are signed in. Undefined: unlimited. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly guesses: GuessLimiter | undefined;
  /** The folder of the built scripts and styles of the pages, and of the console. */
  readonly assets: URL;
  /** Whether people may create accounts. */
  readonly signUp: boolean;
  /** The header with the client's network address that the proxy sets. Undefined: there is no proxy. */
  readonly addressHeader: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readiness: () => Document;
}
