import { encodeBase64url, utf8 } from "../crypto/bytes.js";
import { subtle, type WebCryptoKeyPair } from "../crypto/web-crypto.js";

/**
 * The public half of a proof-of-possession key, with only the members that RFC 7638 requires. Pass its JSON text when you start
 * a device authorization.
 */
export type PublicJwk =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

export async function publicJwkOf({ publicKey }: WebCryptoKeyPair): Promise<PublicJwk> {
  const { kty, crv, x, y } = await subtle().exportKey("jwk", publicKey);
  if (kty === "EC" && crv === "P-256" && x !== undefined && y !== undefined) return { kty, crv, x, y };
  if (kty === "OKP" && crv === "Ed25519" && x !== undefined) return { kty, crv, x };
  throw new TypeError("Invalid proof key: must be a P-256 or Ed25519 key pair. Create one with createProofKey.");
}

/** A JWK with the members that a thumbprint is computed from. */
export interface Jwk {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
  readonly n?: unknown;
  readonly e?: unknown;
}

/** The required members of each key type, in the order in which they are hashed (RFC 7638 section 3.2, RFC 8037). */
const requiredMembers: ReadonlyMap<unknown, readonly (keyof Jwk)[]> = new Map([
  ["EC", ["crv", "kty", "x", "y"] as const],
  ["OKP", ["crv", "kty", "x"] as const],
  ["RSA", ["e", "kty", "n"] as const],
]);

/**
 * Computes the thumbprint of a key: SHA-256, as base64url. Ignores members that it does not need, including private ones.
 *
 * @example
 * ```ts
 * import { thumbprint } from "@platform-rpc/client/pop";
 *
 * const publicJwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
 * console.log(await thumbprint(publicJwk));
 * // kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
 * ```
 *
 * @throws TypeError (as a rejection) when the key is not an EC, OKP or RSA key, or lacks a required member.
 * @see RFC 7638
 */
export async function thumbprint(jwk: Jwk): Promise<string> {
  const members = requiredMembers.get(Object(jwk).kty)?.map((name) => [name, jwk[name]] as const);
  if (members === undefined || members.some(([, value]) => typeof value !== "string"))
    throw new TypeError(
      "Cannot compute the thumbprint: the JWK must be an EC, OKP or RSA key with all members that RFC 7638 requires.",
    );
  const digest = await subtle().digest("SHA-256", utf8(JSON.stringify(Object.fromEntries(members))));
  return encodeBase64url(new Uint8Array(digest));
}
