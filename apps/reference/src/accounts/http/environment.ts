import type { HttpBindings } from "@hono/node-server";
import type { Clock, Document, GuessLimiter, Logger, Operations, Platform, RateLimiter } from "@platform-rpc/server";
import type { CallSeries } from "../../metrics/call-series.js";

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
  /** Returns the origin of the accounts listener as browsers see it, such as `https://accounts.example`. */
  readonly origin: () => string;
  /** Returns the URL of the API, with the base path. */
  readonly apiUrl: () => string;
  readonly platform: Pick<Platform, "keyRing" | "secrets" | "authenticator">;
  /** For requests of callers: they limit wrong user codes. */
  readonly operations: Operations;
  /** For the app's own work. */
  readonly own: Operations;
  /** Limit what callers may do before they are signed in. Undefined: unlimited. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly guesses: GuessLimiter | undefined;
  /** What the process does, for charts that people who are signed in see. Undefined: they see none. */
  readonly callSeries?: CallSeries | undefined;
  /** Whether people may create accounts. */
  readonly signUp: boolean;
  /** The header with the client's network address that the proxy sets. Undefined: there is no proxy. */
  readonly addressHeader: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readiness: () => Document;
}

/** A signed-in person, as the pages see it. */
export interface Session {
  readonly sessionId: string;
  readonly tenantId: string;
  readonly principalId: string;
  readonly displayName: string;
  /** When the person last proved who they are, in ms since the epoch. */
  readonly signedInAt: number;
  readonly how: "passkey" | "recovery code";
  /** When it ends, unless it is extended, in ms since the epoch. */
  readonly endsAt: number;
  /** The access tokens that the console got for it, the newest last. They end with the session. */
  readonly grants: readonly SessionGrant[];
}

/** An access token of a session. */
export interface SessionGrant {
  readonly grantId: string;
  readonly tokenId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** How long after proving who they are a person may approve and revoke, in milliseconds. */
const recentMs = 5 * 60_000;

/** Returns whether the person proved who they are a short time ago. */
export function isRecent({ signedInAt }: Session, now: number): boolean {
  return now - signedInAt < recentMs;
}
