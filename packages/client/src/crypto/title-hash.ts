import { encodeBase64url, utf8 } from "./bytes.js";
import { cryptoKeysOf, isVaultKey, type VaultKey } from "./vault-key.js";
import { subtle, type WebCryptoKey } from "./web-crypto.js";

/**
 * Computes the keyed hash of a title: HMAC-SHA-256 of its NFC form in UTF-8, as base64url. Equal titles have equal hashes under
 * one key, so you can find items by title. Without the key, a guessed title cannot be verified against the hash. Pass the key of the
 * vault, if it has one: then everyone who can write the item computes the same hash. The HMAC key is derived from it.
 *
 * @example
 * ```ts
 * import { createVaultKey, titleHash } from "@platform-rpc/client/crypto";
 *
 * const vaultKey = await createVaultKey();
 * const [composed, decomposed] = [await titleHash(vaultKey, "Caf\u00e9"), await titleHash(vaultKey, "Cafe\u0301")];
 * console.log(composed === decomposed, composed.length);
 * // true 43
 * ```
 *
 * @throws TypeError (as a rejection) when the key is neither a VaultKey nor an HMAC-SHA-256 key.
 * @see RFC 2104
 */
export async function titleHash(titleKey: WebCryptoKey | VaultKey, title: string): Promise<string> {
  const key = isVaultKey(titleKey) ? cryptoKeysOf(titleKey).titles : titleKey;
  const { name, hash }: { readonly name?: string; readonly hash?: { readonly name: string } } = key?.algorithm ?? {};
  if (name !== "HMAC" || hash?.name !== "SHA-256")
    throw new TypeError(
      "Invalid titleKey: must be a VaultKey, or an HMAC key with SHA-256. Create one with createVaultKey or crypto.subtle.generateKey.",
    );
  return encodeBase64url(new Uint8Array(await subtle().sign("HMAC", key, utf8(title.normalize("NFC")))));
}
