/**
 * The `CryptoKey` of WebCrypto, from whichever library your program has: TypeScript's "dom" or @types/node.
 */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** @throws Error where the runtime has no WebCrypto: in Node 18, and on pages without https. */
export function subtle(): typeof crypto.subtle {
  const { crypto: webCrypto }: { readonly crypto?: Partial<Crypto> } = globalThis;
  if (webCrypto?.subtle) return webCrypto.subtle;
  throw new Error(
    "WebCrypto is missing. Use Node 20 or newer; in a browser, serve the page over https or from localhost.",
  );
}

/** The `CryptoKeyPair` of WebCrypto. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey;
  readonly publicKey: WebCryptoKey;
}
