import type { OauthClient } from "../domain/access.js";

/** The registration of an OAuth client that uses the device grant only. */
export const withoutCodeGrant: Pick<OauthClient, "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"> =
  {
    redirectUris: [],
    grantTypes: [],
    requirePushedAuthorizationRequests: false,
  };
