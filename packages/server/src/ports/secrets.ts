import type { RefreshGeneration } from "../domain/refresh-family.js";

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
