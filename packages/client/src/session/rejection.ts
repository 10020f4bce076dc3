import { type CallRef, createError } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";
import type { AuthorizationServerOptions } from "./authorization-server.js";

/** Creates the error of a session whose authorization server rejected a request (RFC 6749 sections 4.1.2.1 and 5.2). */
export function rejection(
  ref: CallRef,
  { error, status }: { readonly error: string; readonly status?: number },
  { issuer, resource, clientId }: AuthorizationServerOptions,
): PlatformError {
  const { host } = new URL(issuer);
  // Untrusted input: the error is shown only in the form of RFC 6749.
  const known = /^[a-z_]{1,40}$/.test(error) ? error : "an unknown error";
  const texts: Readonly<Record<string, string>> = {
    invalid_dpop_proof: `${host} rejected a proof of the session's key (${known}). Check that this machine's clock is right.`,
    invalid_target: `${host} issues no tokens for ${resource} (${known}). Check the URL of the API: it belongs to another server.`,
    invalid_scope: `${host} does not let the OAuth client ${clientId} ask for these scopes (${known}). Check their names, or ask an administrator.`,
  };
  const usual = `${host} rejected the OAuth client ${clientId} (${known}). Ask an administrator to check its registration.`;
  return createError(ref, "UNAUTHENTICATED", "unauthenticated", texts[known] ?? usual, { status });
}
