import type { HttpBindings } from "@hono/node-server";
import type { Session } from "./sessions/session.js";

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
