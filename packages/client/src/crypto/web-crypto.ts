/**
 * The `CryptoKey` of WebCrypto, from whichever library your program has: TypeScript's "dom" or @types/node.
 */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The `CryptoKeyPair` of WebCrypto. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey;
  readonly publicKey: WebCryptoKey;
}
