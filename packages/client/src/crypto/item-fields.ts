import { encodeBase64url, utf8 } from "./bytes.js";
import { subtle, type WebCryptoKey } from "./web-crypto.js";

/** The location of an item and its version. */
export interface ItemPlace {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  /**
   * When sealing: the version that the item gets when it is stored, its base version + 1. When opening: the item's current
   * version.
   */
  readonly version: number;
}

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const greatestVersion = 2 ** 32 - 1;

/** What a valid identifier is, for error messages. */
export const identifierRule = "1 to 128 letters, digits or . _ : -, starting with a letter or digit";

/** Reports whether a value is a valid identifier. Identifiers contain no character that JSON escapes. */
export function isIdentifier(value: unknown): boolean {
  // A regular expression would accept undefined as "undefined".
  return typeof value === "string" && identifier.test(value);
}

export function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= greatestVersion;
}

/** An encrypted payload: the JSON form of `platform.v1.EncryptedPayload`. */
export interface EncryptedPayload {
  readonly alg: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly version: number;
}

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
