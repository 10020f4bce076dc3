import * as oauth from "openid-client";

/**
 * Signs in with the browser of a person. `visit` sends the browser to a URL, and resolves with the URL of the redirect URI to which it
 * comes back. The request is pushed, so that the URL contains nothing of it, and the tokens are bound to a key.
 */
export async function signInWithBrowser(
  { issuer, clientId, redirectUri, resource }: { issuer: URL; clientId: string; redirectUri: string; resource: string },
  visit: (url: URL) => Promise<URL>,
) {
  // Plain HTTP is for a server on this machine only.
  const execute = issuer.protocol === "http:" ? [oauth.allowInsecureRequests] : [];
  const config = await oauth.discovery(issuer, clientId, undefined, oauth.None(), { execute });
  const DPoP = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair("Ed25519"));

  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const request = {
    redirect_uri: redirectUri,
    scope: "vault.items:delete offline_access",
    resource,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  const returned = await visit(await oauth.buildAuthorizationUrlWithPAR(config, request, { DPoP }));
  let tokens = await oauth.authorizationCodeGrant(
    config,
    returned,
    { pkceCodeVerifier, expectedState },
    { resource },
    { DPoP },
  );

  return {
    accessToken: () => tokens.access_token,
    /** Call it before the access token expires, or after a 401. Each call replaces the refresh token: store the new one. */
    async renew() {
      tokens = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "", { resource }, { DPoP });
    },
    signOut: () => oauth.tokenRevocation(config, tokens.refresh_token ?? ""),
  };
}
