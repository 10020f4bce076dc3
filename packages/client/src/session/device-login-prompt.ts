import type { DeviceAuthorizationResponse } from "oauth4webapi";
import { type CallRef, createError } from "../error/create-error.js";
import { printable } from "../wire/read-json.js";
import type { DeviceLoginPrompt } from "./renewable-session.js";
import { secureUrl } from "./secure-url.js";

/**
 * Returns what to show the person who approves. The response is untrusted input, and a person opens its addresses.
 *
 * @throws PlatformError if an address is not https, or plain http on this machine.
 */
export function deviceLoginPrompt(
  call: CallRef,
  { user_code, verification_uri, verification_uri_complete, expires_in }: DeviceAuthorizationResponse,
  { host, now }: { readonly host: string; readonly now: number },
): DeviceLoginPrompt {
  const page = secureUrl(verification_uri);
  const filledIn = verification_uri_complete === undefined ? undefined : secureUrl(verification_uri_complete);
  if (page === undefined || (verification_uri_complete !== undefined && filledIn === undefined)) {
    const text = `${host} sent a page for the approval that is not an https URL. Do not open it. Check the issuer.`;
    throw createError(call, "MALFORMED_RESPONSE", "internal", text);
  }
  return {
    userCode: printable(user_code),
    // As parsed: with every other character percent-encoded, and the host in ASCII.
    verificationUri: page.href,
    verificationUriComplete: filledIn?.href,
    expiresAt: new Date(now + expires_in * 1000),
  };
}
