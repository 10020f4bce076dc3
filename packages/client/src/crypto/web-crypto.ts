/**
 * WebCrypto's key, by the name that the caller's own libraries have for it: that of TypeScript's "dom" or, where a program
 * of Node does without, that of @types/node.
 */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** WebCrypto's key pair. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey;
  readonly publicKey: WebCryptoKey;
}
