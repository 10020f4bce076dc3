import type { Clock, Document, Logger, Operations, Platform } from "@platform-rpc/server";

/** What the accounts listener is made of. */
export interface AccountsParts {
  /** The tenant whose people sign in. */
  readonly tenantId: string;
  /** Returns the origin of the accounts listener as browsers see it, such as `https://accounts.example`. */
  readonly origin: () => string;
  readonly platform: Pick<Platform, "keyRing" | "secrets" | "authenticator">;
  /** For what callers send: wrong user codes are limited. */
  readonly operations: Operations;
  /** For the app's own work. */
  readonly own: Operations;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the readiness document. */
  readonly readiness: () => Document;
}
