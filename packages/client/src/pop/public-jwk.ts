import type { WebCryptoKeyPair } from "../crypto/web-crypto.js";
/**
 * The public half of a proof-of-possession key, with the members that RFC 7638 requires and no other. Its JSON is what a
 * device authorization is started with.
 */
export type PublicJwk =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

/** The public half of a pair, as a JWK. */
export async function publicJwkOf({ publicKey }: WebCryptoKeyPair): Promise<PublicJwk> {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  if (kty === "EC" && crv === "P-256" && x !== undefined && y !== undefined) return { kty, crv, x, y };
  if (kty === "OKP" && crv === "Ed25519" && x !== undefined) return { kty, crv, x };
  throw new TypeError("A proof key is a P-256 or an Ed25519 key pair");
}
