import { readFileSync } from "node:fs";

interface Vectors {
  readonly item: {
    readonly place: {
      readonly tenantId: string;
      readonly vaultId: string;
      readonly itemId: string;
      readonly version: number;
    };
    readonly plaintext: string;
    readonly itemKey: string;
    readonly nonce: string;
    readonly placeJson: string;
    readonly encryptedPayload: {
      readonly alg: string;
      readonly nonce: string;
      readonly aad: string;
      readonly ciphertext: string;
      readonly version: number;
    };
  };
  readonly keyAgreement: {
    readonly recipientPrivateKey: PrivateJwk;
    readonly ephemeralPrivateKey: PrivateJwk;
    readonly wrapped: Wrapped;
  };
  readonly rsa: { readonly recipientPrivateKey: PrivateJwk; readonly wrapped: Wrapped };
  readonly titles: readonly { readonly titleKey: string; readonly title: string; readonly titleHash: string }[];
}
type PrivateJwk = { readonly kty: string; readonly d: string; readonly [name: string]: string };
type Wrapped = { readonly recipientId: string; readonly wrapAlg: string; readonly wrappedKey: string };

/** What the package ships for those who implement its formats elsewhere. */
export const vectors: Vectors = JSON.parse(
  readFileSync(new URL("../published/crypto-test-vectors.json", import.meta.url), "utf8"),
);

const ecdh = { name: "ECDH", namedCurve: "P-256" };

/** Both halves of a P-256 key. */
export async function agreementKeys({ d, ...publicJwk }: PrivateJwk): Promise<CryptoKeyPair> {
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...publicJwk, d }, ecdh, false, ["deriveBits"]),
    publicKey: await crypto.subtle.importKey("jwk", publicJwk, ecdh, true, []),
  };
}

/** The private half of an RSA key. */
export function rsaPrivateKey(jwk: PrivateJwk): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", jwk, { name: "RSA-OAEP", hash: "SHA-256" }, false, ["unwrapKey"]);
}
