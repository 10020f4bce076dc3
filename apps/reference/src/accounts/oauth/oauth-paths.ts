/** The path of the authorization endpoint, where people decide: its answers are pages. */
export const authorizePath = "/oauth/authorize";

const software = /^\/(?:oauth|\.well-known\/(?:oauth-authorization-server|openid-configuration))(?:\/|$)/;

/** Returns whether software calls a path, and gets the errors of OAuth as JSON. */
export function isOAuthEndpoint(path: string): boolean {
  return software.test(path) && path !== authorizePath;
}
