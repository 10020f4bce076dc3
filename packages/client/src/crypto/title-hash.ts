import { encodeBase64url } from "./base64url.js";
import { utf8 } from "./utf8.js";
import { subtle, type WebCryptoKey } from "./web-crypto.js";

/**
 * Computes the keyed hash of a title: HMAC-SHA-256 of its NFC form in UTF-8, as base64url. Equal titles have equal hashes under
 * one key, so you can find items by title. Without the key, a guessed title cannot be verified against the hash.
 *
 * @example
 * ```ts
 * import { titleHash } from "@platform-rpc/client/crypto";
 *
 * const titleKey = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
 * const [composed, decomposed] = [await titleHash(titleKey, "Caf\u00e9"), await titleHash(titleKey, "Cafe\u0301")];
 * console.log(composed === decomposed, composed.length);
 * // true 43
 * ```
 *
 * @throws TypeError (as a rejection) when the key is not an HMAC-SHA-256 key.
 * @see RFC 2104
 */
export async function titleHash(titleKey: WebCryptoKey, title: string): Promise<string> {
  const { name, hash }: { readonly name?: string; readonly hash?: { readonly name: string } } =
    titleKey?.algorithm ?? {};
  if (name !== "HMAC" || hash?.name !== "SHA-256")
    throw new TypeError(
      "Invalid titleKey: must be an HMAC key with SHA-256. Create one with crypto.subtle.generateKey.",
    );
  return encodeBase64url(new Uint8Array(await subtle().sign("HMAC", titleKey, utf8(title.normalize("NFC")))));
}
