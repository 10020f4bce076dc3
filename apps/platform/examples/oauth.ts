import * as oauth from "openid-client";

/**
 * Signs in on a device: shows the user where to approve, and waits for the approval. The tokens are bound to a key, and issued for
 * the API at `resource` only.
 */
export async function signIn(issuer: URL, clientId: string, resource: string, show: (verificationUri: string) => void) {
  // Plain HTTP is for a server on this machine only.
  const execute = issuer.protocol === "http:" ? [oauth.allowInsecureRequests] : [];
  const config = await oauth.discovery(issuer, clientId, undefined, oauth.None(), { algorithm: "oauth2", execute });
  const DPoP = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair("Ed25519"));

  const started = await oauth.initiateDeviceAuthorization(config, { scope: "vault.items:delete", resource });
  show(started.verification_uri_complete ?? started.verification_uri);
  let tokens = await oauth.pollDeviceAuthorizationGrant(config, started, { resource }, { DPoP });

  return {
    accessToken: () => tokens.access_token,
    /** Call it before the access token expires, or after a 401. Each call replaces the refresh token: store the new one. */
    async renew() {
      tokens = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "", { resource }, { DPoP });
    },
    signOut: () => oauth.tokenRevocation(config, tokens.refresh_token ?? ""),
  };
}
