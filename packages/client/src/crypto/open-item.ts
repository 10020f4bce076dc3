import { associatedData, type Bindings, type PayloadFormat, versionIn } from "./associated-data.js";
import { decodeBase64url, encodeBase64url } from "./base64url.js";
import type { EncryptedPayload } from "./encrypted-payload.js";
import { cryptoKeyOf, type ItemKey } from "./item-key.js";
import type { ItemPlace } from "./item-place.js";
import { OpenFailure, openOrFail } from "./open-failure.js";
import { decodeContent, signerOf } from "./sealed-content.js";
import { checkWriter, type TrustedWriter } from "./writer-keys.js";

/** A sealed item, where it is, and the key that opens it. */
export interface ItemToOpen {
  /** Where the item was asked for, not what an answer says of it: an answer can lie. */
  readonly place: ItemPlace;
  /** The kind that the item has. */
  readonly kind: string;
  /** The title hash that the item has. */
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  readonly itemKey: ItemKey;
  /**
   * Demands the signature of one of these. An id may have several keys: an old one and a new one. Default: none is demanded, and
   * whoever knows the recipients' public keys, the server too, can have sealed the item.
   */
  readonly writers?: readonly TrustedWriter[] | undefined;
}

/** An item that was opened. */
export interface OpenedItem {
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /**
   * The version that was sealed. The item's version may be greater, because deleting and restoring an item raise it and
   * seal nothing. One that is smaller than what you saw sealed before is an old payload that was brought back.
   */
  readonly version: number;
  /** 2: `kind`, `titleHash` and the key were checked. 1, as it was sealed before: they were not, and nobody signed. */
  readonly format: PayloadFormat;
  /** Who signed the item: one of `writers`. Undefined when those were not given, whoever signed it. */
  readonly writerId: string | undefined;
}

/**
 * Decrypts an item.
 *
 * @example
 * ```ts
 * import { openItem } from "@platform-rpc/client/crypto";
 *
 * const { kind, titleHash, encryptedPayload } = item; // as it was stored
 * const writers = [{ writerId: "ada", publicKey: writerKeys.publicKey }];
 * const opened = await openItem({ place, kind, titleHash, encryptedPayload, itemKey, writers });
 * console.log(new TextDecoder().decode(opened.plaintext), opened.version, opened.writerId);
 * // correct horse 4 ada
 * ```
 *
 * @throws OpenFailure (as a rejection) whatever is wrong with the payload: altered, of another place, kind or title, sealed for a
 * later version, of another key, not signed by one of `writers`, shredded, or in a format that is not known. TypeError when
 * `itemKey` or a writer's key is none.
 */
export async function openItem(item: ItemToOpen): Promise<OpenedItem> {
  const { place, encryptedPayload, itemKey, writers } = item;
  const key = cryptoKeyOf(itemKey);
  for (const { writerId, publicKey } of writers ?? []) checkWriter(writerId, publicKey, "verify");
  return openOrFail(async () => {
    const { alg, nonce, aad, ciphertext, version: format } = encryptedPayload;
    const sealedData = decodeBase64url(aad);
    const iv = decodeBase64url(nonce);
    const bytes = decodeBase64url(ciphertext);
    const version = sealedData && versionIn(sealedData);
    if (alg !== "A256GCM" || !isKnown(format) || iv?.byteLength !== 12) throw new OpenFailure();
    if (bytes === undefined || version === undefined || version > place.version) throw new OpenFailure();
    const bindings: Bindings = { ...item, place: { ...place, version } };
    const additionalData = await associatedData(format, bindings);
    // Also of the key: its commitment stands in there.
    if (aad !== encodeBase64url(additionalData)) throw new OpenFailure();
    const decrypted = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes));
    const sealed = format === 1 ? { content: decrypted } : decodeContent(decrypted);
    const writerId = writers && (await signerOf(sealed, additionalData, writers));
    return { plaintext: sealed.content, version, format, writerId };
  });
}

function isKnown(format: number): format is PayloadFormat {
  return format === 1 || format === 2;
}
