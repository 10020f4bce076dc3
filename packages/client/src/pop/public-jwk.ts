import { subtle, type WebCryptoKeyPair } from "../crypto/web-crypto.js";
/**
 * The public half of a proof-of-possession key, with only the members that RFC 7638 requires. Pass its JSON text when you start
 * a device authorization.
 */
export type PublicJwk =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

/** Exports the public half of a pair as a JWK. */
export async function publicJwkOf({ publicKey }: WebCryptoKeyPair): Promise<PublicJwk> {
  const { kty, crv, x, y } = await subtle().exportKey("jwk", publicKey);
  if (kty === "EC" && crv === "P-256" && x !== undefined && y !== undefined) return { kty, crv, x, y };
  if (kty === "OKP" && crv === "Ed25519" && x !== undefined) return { kty, crv, x };
  throw new TypeError("Invalid proof key: must be a P-256 or Ed25519 key pair. Create one with createProofKey.");
}
