import { OAuthError } from "../http/oauth-error.js";
import { offlineAccess, readScope } from "../oauth-clients/grants.js";
import type { Form } from "./read-form.js";

/** The scopes of OpenID Connect Core section 5.4. They ask who the person is, and this server issues no id tokens. */
const openidScopes = ["openid", "profile", "email", "address", "phone"];

/**
 * Reads the scopes of a request (RFC 6749 section 3.3): those that ask for access to an API, and whether `offline_access` is one of them.
 * The scopes of OpenID Connect are ignored. `named` is undefined if the request names no other scope: then the default of the endpoint applies.
 */
export function readScopes(form: Form) {
  const all = form.get("scope")?.split(" ") ?? [];
  const named = all.filter((scope) => scope !== "" && scope !== offlineAccess && !openidScopes.includes(scope));
  return { named: named.length === 0 ? undefined : named, offline: all.includes(offlineAccess) };
}

/**
 * Returns the scopes that a client may have of those that it names. Others are left out, at every endpoint alike: clients ask for
 * everything that the metadata of an API lists, or for what another server knows.
 *
 * @param allowed what the client may have, ordered.
 * @throws OAuthError invalid_scope if it may have none of them.
 */
export function grantable(named: readonly string[], allowed: readonly string[]): readonly string[] {
  const scopes = allowed.filter((scope) => named.includes(scope));
  if (scopes.length === 0) throw noScope();
  return scopes;
}

export function noScope(): OAuthError {
  const description = `The client can have none of the scopes that it asks for. Without scope, a login in a browser asks for ${readScope}. Name others of scopes_supported in the metadata of this server, or ask an administrator.`;
  return new OAuthError("invalid_scope", description);
}
