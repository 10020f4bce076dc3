import type { Context } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { oauthBodyBytes } from "../route-limits.js";
import { OAuthError } from "./oauth-error.js";

/** The longest value of a parameter, in characters, far above that of a token of this platform. */
const longestValue = 8192;

/** The parameters of a request by name. One without a value counts as omitted (RFC 6749 section 3.2). */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads the parameters of a request. They must be in the body, because a URL is logged by proxies, and each of them at most once.
 *
 * @throws OAuthError invalid_request; invalid_target for more than one `resource`.
 */
export async function readForm(context: Context<AccountsEnvironment>): Promise<Form> {
  const mediaType = context.req.header("Content-Type")?.replace(/;.*$/s, "").trim().toLowerCase();
  if (mediaType !== "application/x-www-form-urlencoded") {
    const description = "The body must be application/x-www-form-urlencoded. Set the Content-Type header.";
    throw new OAuthError("invalid_request", description);
  }
  if (new URL(context.req.url).search !== "") {
    throw new OAuthError("invalid_request", "The URL has a query. Send the parameters in the body, never in the URL.");
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readBody(context.req.raw))) {
    if (value === "") continue;
    if (form.has(name)) throw repeated(name);
    if (value.length > longestValue) {
      throw new OAuthError("invalid_request", `A parameter is longer than ${longestValue} characters.`);
    }
    form.set(name, value);
  }
  return form;
}

/** Returns a parameter. @throws OAuthError invalid_request without it. */
export function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}

async function readBody(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > oauthBodyBytes) {
      throw new OAuthError("invalid_request", `The body is larger than ${oauthBodyBytes} bytes.`, { status: 413 });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function repeated(name: string): OAuthError {
  return name === "resource"
    ? new OAuthError("invalid_target", "A token is issued for one resource only. Send one request for each.")
    : new OAuthError("invalid_request", "A parameter was sent more than once. Send each at most once.");
}
