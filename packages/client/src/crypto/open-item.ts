import { decodeBase64url, encodeBase64url } from "./base64url.js";
import type { EncryptedPayload } from "./encrypted-payload.js";
import { cryptoKeyOf, type ItemKey } from "./item-key.js";
import { encodePlace, formatVersion, type ItemPlace, versionIn } from "./item-place.js";
import { OpenFailure, openOrFail } from "./open-failure.js";

/** A sealed item, where it is, and the key that opens it. */
export interface ItemToOpen {
  /** Where the item was asked for, not what an answer says of it: an answer can lie. */
  readonly place: ItemPlace;
  readonly encryptedPayload: EncryptedPayload;
  readonly itemKey: ItemKey;
}

/** An item that was opened. */
export interface OpenedItem {
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /**
   * The version that was sealed. The item's version may be greater, because deleting and restoring an item raise it and
   * seal nothing. One that is smaller than what you saw sealed before is an old payload that was brought back.
   */
  readonly version: number;
}

/**
 * Decrypts an item.
 *
 * @example
 * ```ts
 * import { openItem } from "@platform/client/crypto";
 *
 * const { plaintext, version } = await openItem({ place, encryptedPayload, itemKey });
 * console.log(new TextDecoder().decode(plaintext), version);
 * // correct horse 4
 * ```
 *
 * @throws OpenFailure (as a rejection) whatever is wrong with the payload: altered, of another place, sealed for a later
 * version, of another key, shredded, or in a format that is not known. TypeError when `itemKey` is none.
 */
export async function openItem({ place, encryptedPayload, itemKey }: ItemToOpen): Promise<OpenedItem> {
  const key = cryptoKeyOf(itemKey);
  return openOrFail(async () => {
    const { alg, nonce, aad, ciphertext, version: format } = encryptedPayload;
    const sealedPlace = decodeBase64url(aad);
    const iv = decodeBase64url(nonce);
    const bytes = decodeBase64url(ciphertext);
    const known = alg === "A256GCM" && format === formatVersion && iv?.byteLength === 12;
    const version = sealedPlace && versionIn(sealedPlace);
    if (!known || bytes === undefined || version === undefined || version > place.version) throw new OpenFailure();
    const additionalData = encodePlace({ ...place, version });
    if (aad !== encodeBase64url(additionalData)) throw new OpenFailure();
    const algorithm = { name: "AES-GCM", iv, additionalData };
    return { plaintext: new Uint8Array(await crypto.subtle.decrypt(algorithm, key, bytes)), version };
  });
}
