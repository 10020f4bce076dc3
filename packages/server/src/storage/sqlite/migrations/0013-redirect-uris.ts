/** Adds what OAuth clients register for the authorization code grant. Those of an older database have no redirect URI. */
export const redirectUris = `
ALTER TABLE oauth_clients ADD COLUMN redirect_uris TEXT NOT NULL DEFAULT '[]';
ALTER TABLE oauth_clients ADD COLUMN grant_types TEXT NOT NULL DEFAULT '[]';
ALTER TABLE oauth_clients ADD COLUMN require_pushed_authorization_requests INTEGER NOT NULL DEFAULT 0;
`;
