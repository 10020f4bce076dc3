/** The grant type of the device authorization grant (RFC 8628 section 3.4). */
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant type of the authorization code grant (RFC 6749 section 4.1.3). */
export const authorizationCodeType = "authorization_code";

/** The grant type of refresh tokens (RFC 6749 section 6). */
export const refreshTokenType = "refresh_token";
