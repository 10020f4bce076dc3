import type { Clock } from "../clock.js";
import { sentencesOf } from "../error/create-error.js";
import { invalidOptions, type OptionRules, ofType } from "../options/option-rules.js";
import type { AuthorizationServerOptions } from "./authorization-server.js";
import type { DeviceSessionEvent } from "./renewable-session.js";
import { secureUrl } from "./secure-url.js";
import type { SessionStore } from "./session-store.js";

/** Options of a session. */
export interface DeviceSessionOptions extends AuthorizationServerOptions {
  /** Where the session is kept between runs of the program. */
  readonly store: SessionStore;
  /** The scopes to ask for. Default: every scope that the OAuth client may have. */
  readonly scopes?: readonly string[];
  /** Called when the session changes. An error that it throws is ignored. */
  readonly onEvent?: ((event: DeviceSessionEvent) => void) | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const isEndpoint = (value: unknown) =>
  (/^https?:\/\/[^?#\s]+$/.test(`${value}`) && secureUrl(value) !== undefined) ||
  "must be an https URL without credentials, query or fragment. Plain http is only for this machine";

const rules: OptionRules = {
  issuer: isEndpoint,
  resource: isEndpoint,
  clientId: (value) => (typeof value === "string" && value !== "") || "must be the id of an OAuth client",
  store: (value) => typeof value === "object" || "must be an object with load, save and remove",
  scopes: (value) => value === undefined || Array.isArray(value) || "must be a list of strings",
  onEvent: ofType("function"),
  clock: ofType("object"),
  fetch: ofType("function"),
};

/** Checks the options of a session. @throws TypeError that names each invalid option and what is expected. */
export function checkSessionOptions({ issuer, resource, clientId, store, ...others }: DeviceSessionOptions): void {
  const invalid = invalidOptions({ issuer, resource, clientId, store, ...others }, rules);
  if (invalid.length > 0) throw new TypeError(sentencesOf(invalid).trim());
}
