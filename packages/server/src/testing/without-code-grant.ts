import type { OauthClient } from "../domain/model/access.js";

/** The registration of an OAuth client that uses the device grant only. */
export const withoutCodeGrant: Pick<OauthClient, "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"> =
  {
    redirectUris: [],
    grantTypes: [],
    requirePushedAuthorizationRequests: false,
  };
