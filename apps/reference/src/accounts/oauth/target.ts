import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { Form } from "./read-form.js";

/** What the access token of a response is for. Stored with an approval, because URLs may change. */
export type Target = "api" | "broker";

/**
 * Returns what a token, or a code, is requested for (RFC 8707); undefined without a `resource`. The API is named by its audience, or by
 * its URL, which is the `resource` of its metadata (RFC 9728). Software that a hostile API has sent here names that API, and gets
 * nothing.
 *
 * A device code does not remember its resource: the only API is this one, the broker acts for its people, and a token request names
 * again which of the two its token is for. An authorization code, and its refresh tokens, are for one of them.
 *
 * @throws OAuthError invalid_target for any other resource.
 */
export function readTarget(form: Form, { audience, brokerAudience, apiUrl }: OAuthParts): Target | undefined {
  const resource = form.get("resource");
  if (resource === undefined) return undefined;
  if (resource === brokerAudience) return "broker";
  if ([audience, apiUrl(), `${apiUrl()}/`].includes(resource)) return "api";
  throw new OAuthError("invalid_target", "Tokens are not issued for this resource. Name the API, the broker, or none.");
}

/** Returns what the tokens of an approval are for. */
export function targetOf({ resource }: { readonly resource: string | undefined }): Target {
  return resource === "broker" ? "broker" : "api";
}

/** Creates the error for a code or refresh token that was approved for another resource (RFC 8707 section 2.2). */
export function wrongTarget(): OAuthError {
  const description =
    "The person has approved access to another resource. Name that one, or start a new authorization.";
  return new OAuthError("invalid_target", description);
}
