import type { Context } from "hono";
import { throwTooLarge } from "../http/bound-body.js";
import type { AccountsEnvironment } from "../http/environment.js";
import { OAuthError } from "../http/oauth-error.js";

const formType = "application/x-www-form-urlencoded";

/** The longest value of a parameter, in characters, far above that of a token of this platform. */
const longestValue = 8192;

/** The parameters of a request by name. One without a value counts as omitted (RFC 6749 section 3.2). */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads the parameters of a request. They must be in the body, because a URL is logged by proxies, and each of them at most once.
 *
 * A body without a Content-Type counts as a form (RFC 9110 section 8.3), so that a simple client can always revoke a token.
 *
 * @throws OAuthError invalid_request, also if the body does not arrive completely; invalid_target for more than one `resource`. RequestError REQUEST_TOO_LARGE.
 */
export async function readForm(context: Context<AccountsEnvironment>): Promise<Form> {
  const mediaType = context.req.header("Content-Type")?.replace(/;.*$/s, "").trim().toLowerCase();
  if (mediaType !== undefined && mediaType !== formType) {
    throw new OAuthError("invalid_request", `The body must be ${formType}. Set this value in the Content-Type header.`);
  }
  if (new URL(context.req.url).search !== "") {
    throw new OAuthError("invalid_request", "The URL has a query. Send the parameters in the body, never in the URL.");
  }
  const { form, problem } = readParameters(await context.req.text().catch(throwUnread));
  if (problem !== undefined) throw problem;
  return form;
}

/** Reads parameters. One that was sent more than once, or is too long, is not in the form: `problem` is the error for it. */
export function readParameters(text: string): { readonly form: Form; readonly problem: OAuthError | undefined } {
  const form = new Map<string, string>();
  const refused = new Map<string, OAuthError>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === "") continue;
    if (form.has(name)) refused.set(name, repeated(name));
    if (value.length > longestValue) {
      refused.set(name, new OAuthError("invalid_request", `A parameter is longer than ${longestValue} characters.`));
    }
    form.set(name, value);
  }
  for (const name of refused.keys()) form.delete(name);
  const [problem] = refused.values();
  return { form, problem };
}

/** Returns a parameter. @throws OAuthError invalid_request without it. */
export function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is required.`);
  return value;
}

/** The body is too large, the caller has closed the connection, or the listener has responded already. @throws RequestError, OAuthError */
function throwUnread(thrown: unknown): never {
  throwTooLarge(thrown);
  throw new OAuthError("invalid_request", "The body did not arrive completely. Send the request again.");
}

function repeated(name: string): OAuthError {
  return name === "resource"
    ? new OAuthError("invalid_target", "A token is issued for one resource only. Send one request for each.")
    : new OAuthError("invalid_request", "A parameter was sent more than once. Send each at most once.");
}
