import type { Clock } from "../options/clock.js";
import { type OptionRules, ofType, requireOptions, withFunctions } from "../options/option-rules.js";
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
  /** Called when the session changes. An error that it throws is ignored. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const isEndpoint = (value: unknown) =>
  (typeof value === "string" && /^https?:\/\/[^?#\s]+$/i.test(value) && secureUrl(value) !== undefined) ||
  "must be an https URL without credentials, query or fragment. Plain http is only for localhost, 127.0.0.1 and [::1]";

const rules: OptionRules = {
  issuer: isEndpoint,
  resource: isEndpoint,
  clientId: (value) => (typeof value === "string" && value !== "") || "must be the id of an OAuth client",
  store: (value) => withFunctions("load", "save", "remove")(value ?? null),
  scopes: (value) =>
    value === undefined ||
    (Array.isArray(value) && value.every((scope) => typeof scope === "string")) ||
    "must be a list of strings",
  bounds: boundsRules,
  onEvent: ofType("function"),
  clock: withFunctions("now", "sleep", "after"),
  fetch: ofType("function"),
  logger: withFunctions("warn"),
};

/** Checks the options of a session. @throws TypeError that names each invalid option and what is expected. */
export function checkSessionOptions(options: SessionOptions): void {
  const { issuer, resource, clientId, store }: Partial<SessionOptions> = Object(options);
  requireOptions(options, rules, { issuer, resource, clientId, store });
}

/** The options that every login has. */
export interface AnyLoginOptions {
  /** Shows the person where to approve. */
  readonly onPrompt: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Checks the options of a login. @throws TypeError that names each invalid option and what is expected. */
export function checkLoginOptions(options: AnyLoginOptions, rules: OptionRules): void {
  const { onPrompt }: Partial<AnyLoginOptions> = Object(options);
  requireOptions(options, rules, { onPrompt });
}
