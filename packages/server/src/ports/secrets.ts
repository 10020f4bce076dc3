import type { RefreshGeneration } from "../domain/model/refresh-family.js";

/** An authorization code, and what is stored of it. */
export interface NewAuthorizationCode {
  readonly code: string;
  readonly codeHash: string;
  readonly grantId: string;
}

/** Generates ids and codes, and hashes codes. */
export interface Secrets {
  /** Returns a new UUIDv7 (RFC 9562 section 5.7). */
  newId(): string;
  /** Returns a new device code: `pdc_` and 32 random bytes in base64url. */
  newDeviceCode(): string;
  /** Returns a new user code: 8 letters of the user code alphabet, each equally likely. */
  newUserCode(): string;
  /** Returns the SHA-256 in base64url. A plain hash is enough for 256 random bits. */
  hashDeviceCode(deviceCode: string): string;
  /**
   * Returns a new authorization code for a grant, `pac_<grant>.` and 32 random bytes in base64url, and the SHA-256 of the code in
   * base64url.
   */
  newAuthorizationCode(grantId: string): NewAuthorizationCode;
  /** Returns the grant of an authorization code and its hash. Undefined for a text that is not an authorization code. */
  readAuthorizationCode(code: string): Omit<NewAuthorizationCode, "code"> | undefined;
  /** Returns the code challenge of a code verifier by the method S256 (RFC 7636 section 4.2). */
  codeChallenge(codeVerifier: string): string;
  /** Returns the HMAC-SHA-256 with a key of the server, in base64url. A plain hash of 8 letters could be brute-forced. */
  hashUserCode(letters: string): string;
  /** Returns the HMAC-SHA-256 with a key of the server, in base64url. */
  hashIdempotencyKey(key: string): string;
  /**
   * Returns the refresh token of a generation of a family: `prt_<family>.<generation>.` and the HMAC-SHA-256 of both with a key of
   * the server, in base64url. The same generation always has the same token, so that none is stored.
   */
  refreshToken(family: RefreshGeneration): string;
  /** Returns the family and the generation of a refresh token that `refreshToken` returned. Undefined for any other text. */
  readRefreshToken(token: string): RefreshGeneration | undefined;
}
