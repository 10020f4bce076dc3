import { decodeBase64url, encodeBase64url } from "./bytes.js";
import type { EncryptedPayload, ItemPlace } from "./item-fields.js";
import { cryptoKeyOf, type ItemKey } from "./item-key.js";
import { checkWriter, type TrustedWriter } from "./key-pairs.js";
import { OpenError, openOrFail } from "./open-error.js";
import { associatedData, type Bindings, decodeContent, type PayloadFormat, signerOf, versionIn } from "./payload.js";
import { subtle } from "./web-crypto.js";

/** A sealed item, its place, and the key that opens it. */
export interface ItemToOpen {
  /** The place you requested. Do not take it from the response: a server can misreport it. */
  readonly place: ItemPlace;
  /** The item's `kind`. */
  readonly kind: string;
  /** The item's `titleHash`. */
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  readonly itemKey: ItemKey;
  /**
   * Requires the signature of one of these writers. A writer id may appear with several keys, such as an old and a new one.
   * Default: no signature is required, and anyone who knows the recipients' public keys, including the server, may have sealed the
   * item.
   */
  readonly writers?: readonly TrustedWriter[] | undefined;
}

/** A decrypted item. */
export interface OpenedItem {
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /**
   * The version that was sealed. The item's version may be greater, because deleting or restoring an item raises it without
   * sealing again. A version smaller than one you opened before means that an old payload was replayed.
   */
  readonly version: number;
  /** 2: `kind`, `titleHash` and the key were checked. 1 (the older format): they were not, and there is no signature. */
  readonly format: PayloadFormat;
  /** The id of the writer in `writers` who signed the item. Undefined when you passed no `writers`, even for a signed item. */
  readonly writerId: string | undefined;
}

/**
 * Decrypts an item.
 *
 * @example
 * ```ts
 * import { openItem } from "@platform-rpc/client/crypto";
 *
 * const { kind, titleHash, encryptedPayload } = item; // the stored item
 * const writers = [{ writerId: "ada", publicKey: writerKeys.publicKey }];
 * const opened = await openItem({ place, kind, titleHash, encryptedPayload, itemKey, writers });
 * console.log(new TextDecoder().decode(opened.plaintext), opened.version, opened.writerId);
 * // correct horse 4 ada
 * ```
 *
 * @throws OpenError (as a rejection) when the payload was altered, belongs to another place, kind, title or key, was sealed for a
 * later version, is not signed by one of `writers`, was shredded, or has an unknown format. TypeError when `itemKey`, a writer's id
 * or a writer's key is invalid.
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
    if (alg !== "A256GCM" || !isKnown(format) || iv?.byteLength !== 12) throw new OpenError();
    if (bytes === undefined || version === undefined || version > place.version) throw new OpenError();
    const bindings: Bindings = { ...item, place: { ...place, version } };
    const additionalData = await associatedData(format, bindings);
    // This also checks the key: the associated data contains its commitment.
    if (aad !== encodeBase64url(additionalData)) throw new OpenError();
    const decrypted = new Uint8Array(await subtle().decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes));
    const sealed = format === 1 ? { content: decrypted } : decodeContent(decrypted);
    const writerId = writers && (await signerOf(sealed, additionalData, writers));
    return { plaintext: sealed.content, version, format, writerId };
  });
}

function isKnown(format: number): format is PayloadFormat {
  return format === 1 || format === 2;
}
