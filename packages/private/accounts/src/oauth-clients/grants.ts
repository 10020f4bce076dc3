import type { OauthClient } from "@platform-rpc/server/host";
import { callerContract } from "../contract/private-contract.js";

/** The grant type of the device authorization grant (RFC 8628 section 3.4). */
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant type of the authorization code grant (RFC 6749 section 4.1.3). */
export const authorizationCodeType = "authorization_code";

/** The grant type of refresh tokens (RFC 6749 section 6). */
export const refreshTokenType = "refresh_token";

/** The scope of a client that names none: it changes nothing. */
export const readScope = "vault.items:read";

/** The scope of software that uses secrets without seeing them. */
export const useScope = "vault.items:use";

/** The types of `authorization_details` that a client can ask for (RFC 9396 section 10). */
export const authorizationDetailsTypes = ["vault"] as const;

/** The scope of a request for a refresh token. It allows no operation (OpenID Connect Core section 11). */
export const offlineAccess = "offline_access";

/** Returns every scope of the operations that an OAuth client may call. */
export function scopesOf({ allowedOperations }: Pick<OauthClient, "allowedOperations">): readonly string[] {
  const { operations } = callerContract;
  const scopes = allowedOperations.flatMap((operation) => operations.get(operation)?.requiredScopes ?? []);
  return [...new Set(scopes)].sort();
}

export const grantableScopes = scopesOf({ allowedOperations: [...callerContract.operations.keys()] });

/** The largest number of deletions or uses that bounds can have. */
export const mostCounted = 4_294_967_295;

/** As the contract of UseItem has hosts: without wildcards, lists, and a dot at the end. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?$/;
const longestHost = 262;

/** Returns whether a text is a host of a URL with https, as it is compared: in lower case, with the port unless it is 443. */
export function isHost(text: string): boolean {
  if (text.length > longestHost || !hostForm.test(text)) return false;
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}
