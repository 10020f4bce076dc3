import { encodeBase64url } from "../crypto/base64url.js";
import { utf8 } from "../crypto/utf8.js";

/** Any JWK: of its members those that a thumbprint is made of. */
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
 * The thumbprint of a key: SHA-256, base64url. Members that it does not need, private ones too, make no difference.
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
 * @throws TypeError (as a rejection) when the key is no EC, OKP or RSA key, or lacks a member.
 * @see RFC 7638
 */
export async function thumbprint(jwk: Jwk): Promise<string> {
  const members = requiredMembers.get(jwk.kty)?.map((name) => [name, jwk[name]] as const);
  if (members === undefined || members.some(([, value]) => typeof value !== "string"))
    throw new TypeError("A thumbprint needs an EC, OKP or RSA key with all of its required members");
  const digest = await crypto.subtle.digest("SHA-256", utf8(JSON.stringify(Object.fromEntries(members))));
  return encodeBase64url(new Uint8Array(digest));
}
