import { OAuthError } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import type { Form } from "./read-form.js";

/** What the access token of a response is for. */
export type Target = "api" | "broker";

/**
 * Returns what a token, or a device code, is requested for (RFC 8707). The API is named by its audience, or by its URL, which is the
 * `resource` of its metadata (RFC 9728). Software that a hostile API has sent here names that API, and gets nothing.
 *
 * A device code does not remember its resource: the only API is this one, the broker acts for its people, and a token request names
 * again which of the two its token is for.
 *
 * @throws OAuthError invalid_target for any other resource.
 */
export function readTarget(form: Form, { audience, brokerAudience, apiUrl }: OAuthParts): Target {
  const resource = form.get("resource");
  if (resource === brokerAudience) return "broker";
  const api = [audience, apiUrl(), `${apiUrl()}/`];
  if (resource === undefined || api.includes(resource)) return "api";
  throw new OAuthError("invalid_target", "Tokens are not issued for this resource. Name the API, the broker, or none.");
}
