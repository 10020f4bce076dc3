import * as oauth from "openid-client";

/** Signs in on a device, for at most 5 deletions in one vault within the next hour. Returns a token, and what the person has allowed. */
export async function signInForFiveDeletions(
  issuer: URL,
  clientId: string,
  vaultId: string,
  show: (verificationUri: string) => void,
) {
  // Plain HTTP is for a server on this machine only.
  const execute = issuer.protocol === "http:" ? [oauth.allowInsecureRequests] : [];
  const config = await oauth.discovery(issuer, clientId, undefined, oauth.None(), { algorithm: "oauth2", execute });

  const limits = {
    type: "vault",
    vaults: [vaultId],
    actions: ["read", "delete"],
    max_deletions: 5,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
  };
  const started = await oauth.initiateDeviceAuthorization(config, {
    scope: "vault.items:delete",
    authorization_details: JSON.stringify([limits]),
  });
  show(started.verification_uri_complete ?? started.verification_uri);
  const tokens = await oauth.pollDeviceAuthorizationGrant(config, started);
  return { accessToken: tokens.access_token, allowed: tokens.authorization_details };
}
