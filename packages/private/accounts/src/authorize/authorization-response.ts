import type { Context } from "hono";
import type { AccountsEnvironment } from "../http/environment.js";
import { noStoreHeaders } from "../http/oauth-error.js";

export interface Recipient {
  readonly redirectUri: string;
  /** As the client has sent it. */
  readonly state: string | undefined;
}

/**
 * Sends the browser back to the client with a code or an error (RFC 6749 sections 4.1.2 and 4.1.2.1). Adds it to the redirect URI, which otherwise stays as the client has registered it. `iss` says whose answer it is, so that a client
 * of several servers cannot be made to mix them up (RFC 9207). With 303, the browser does not send the form on (RFC 9700 section 4.12).
 */
export function redirectBack(
  context: Context<AccountsEnvironment>,
  { redirectUri, state }: Recipient,
  answer: Readonly<Record<string, string>>,
  issuer: string,
) {
  const parameters = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuer });
  for (const [name, value] of Object.entries(noStoreHeaders)) context.header(name, value);
  return context.redirect(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`, 303);
}
