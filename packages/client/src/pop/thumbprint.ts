import { encodeBase64url } from "../crypto/base64url.js";
import { utf8 } from "../crypto/utf8.js";
import { subtle } from "../crypto/web-crypto.js";

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
