import type { OauthClient } from "@platform-rpc/server";
import { callerContract } from "../../rpc/reasons.js";
import { OAuthError } from "./oauth-error.js";
import type { Form } from "./read-form.js";

/** The syntax of scopes separated by spaces (RFC 6749 section 3.3). */
const scopesPattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Returns the scopes that a request asks for; undefined without the parameter. @throws OAuthError invalid_scope */
export function readScopes(form: Form): readonly string[] | undefined {
  const scope = form.get("scope");
  if (scope === undefined) return undefined;
  if (!scopesPattern.test(scope)) throw new OAuthError("invalid_scope", "The scope is malformed.");
  return scope.split(" ");
}

/** The scope of a client that names none: it changes nothing. */
export const readScope = "vault.items:read";

/** The scope of a request for a refresh token. It allows no operation (OpenID Connect Core section 11). */
export const offlineAccess = "offline_access";

/** Returns every scope of the operations that an OAuth client may call. */
export function scopesOf({ allowedOperations }: Pick<OauthClient, "allowedOperations">): readonly string[] {
  const { operations } = callerContract;
  const scopes = allowedOperations.flatMap((operation) => operations.get(operation)?.requiredScopes ?? []);
  return [...new Set(scopes)].sort();
}

/** Every scope that a person can approve. */
export const grantableScopes = scopesOf({ allowedOperations: [...callerContract.operations.keys()] });
