import * as check from "@platform-rpc/options";
import type { Clock } from "../options/clock.js";
import { type AuthorizationServerOptions, secureUrl } from "./authorization-server.js";
import type { SessionEvent } from "./renewable-session.js";
import { boundsRules, type SessionBounds } from "./session-bounds.js";
import type { SessionStore } from "./session-store.js";

/** Options of a session. */
export interface SessionOptions extends AuthorizationServerOptions {
  /** Where the session is kept between runs of the program. */
  readonly store: SessionStore;
  /**
   * The scopes to ask for. Default: what the server chooses. This platform chooses every scope that the OAuth client may have for a
   * device login, and reading for a login in a browser.
   */
  readonly scopes?: readonly string[];
  /**
   * Limits to ask for with the scopes (RFC 9396), such as a number of deletions. The person can allow less, and later more. When the
   * deletions are used, calls fail with `DELEGATION_EXHAUSTED`. A login rejects with the code `unimplemented` if the server knows no
   * limits. Default: the person decides.
   *
   * @example
   * ```ts
   * import { createDeviceSession, createMemorySessionStore } from "@platform-rpc/client/session";
   *
   * const session = createDeviceSession({
   *   issuer: "https://accounts.example",
   *   resource: baseUrl,
   *   clientId: "my-agent",
   *   store: createMemorySessionStore(),
   *   bounds: { vaults: ["personal"], maxDeletions: 25, expiresAt: new Date(Date.now() + 3 * 86_400_000) },
   * });
   * ```
   */
  readonly bounds?: SessionBounds | undefined;
  /**
   * Whether the refresh token, and broker tokens, are bound to a key of the session (RFC 9449). `false` is for broker tokens that are given
   * to a library without DPoP: they are of the type Bearer, and whoever has a copy of the refresh token can use it. Default: true.
   */
  readonly dpop?: boolean | undefined;
  /** Called when the session changes. An error that it throws is ignored. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const isEndpoint = (value: unknown) =>
  (typeof value === "string" && /^https?:\/\/[^?#\s]+$/i.test(value) && secureUrl(value) !== undefined) ||
  "must be an https URL without credentials, query or fragment. Plain http is only for localhost, 127.0.0.1 and [::1]";

export const sessionRules: check.OptionRules<SessionOptions> = {
  issuer: isEndpoint,
  resource: isEndpoint,
  clientId: check.must("be the id of an OAuth client", check.isText),
  store: check.part("be an object with load, save, remove", "load", "save", "remove"),
  scopes: check.may("be a list of strings", (value) => check.isListOf(value, (scope) => typeof scope === "string")),
  bounds: check.nested(boundsRules),
  dpop: check.ofType("boolean"),
  onEvent: check.ofType("function"),
  clock: check.withFunctions("now", "sleep", "after"),
  fetch: check.ofType("function"),
  logger: check.withFunctions("warn"),
};

/** The options that every login has. */
export interface AnyLoginOptions {
  /** Shows the person where to approve. */
  readonly onPrompt: unknown;
  readonly signal?: AbortSignal | undefined;
}
