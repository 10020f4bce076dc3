/** Draws ids and codes, and hashes codes: what needs randomness or cryptography, and is no token. */
export interface Secrets {
  /** A new UUIDv7 (RFC 9562 section 5.7). */
  newId(): string;
  /** A new device code: `pdc_` and 32 random bytes in base64url. */
  newDeviceCode(): string;
  /** A new user code: 8 letters of the user code alphabet, each equally likely. */
  newUserCode(): string;
  /** SHA-256, base64url: enough for 256 random bits. */
  hashDeviceCode(deviceCode: string): string;
  /** HMAC-SHA-256 with a key of the server, base64url: a plain hash of 8 letters could be guessed. */
  hashUserCode(letters: string): string;
  /** HMAC-SHA-256 with a key of the server, base64url. */
  hashIdempotencyKey(key: string): string;
}
