import { encodeBase64url } from "./bytes.js";
import type { EncryptedPayload, ItemPlace } from "./item-fields.js";
import { cryptoKeyOf, generateItemKey } from "./item-key.js";
import { checkWriter, type Writer } from "./key-pairs.js";
import { associatedData, type Bindings, encodeContent, longestHeader } from "./payload.js";
import { subtle } from "./web-crypto.js";
import { type Recipient, type VaultKeyHolder, type WrappedKey, wrapItemKey } from "./wrap-item-key.js";

/** In bytes. The platform accepts 36 864 bytes of ciphertext, 16 of which are the tag. The limit does not depend on a writer. */
const longestPlaintext = 36_864 - 16 - longestHeader;

/** The content of an item, its place, and its recipients. */
export interface ItemToSeal {
  readonly place: ItemPlace;
  /** The kind of the item, stored in plain text: `login`, `secure_note` and so on. */
  readonly kind: string;
  /** The stored hash of the title: see `titleHash`. May be empty. */
  readonly titleHash: string;
  /** At most 36 654 bytes. The ciphertext reveals its length: pad it if the length is sensitive. */
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /** Who can read the item: people, or the vault, for all who have its key. At least one, each listed once. */
  readonly recipients: readonly (Recipient | VaultKeyHolder)[];
  /**
   * Signs the item, for readers that accept only signed items. Default: unsigned; anyone with the recipients' public keys can
   * seal it.
   */
  readonly writer?: Writer | undefined;
}

/** A sealed item: the JSON form of the item fields with these names. */
export interface SealedItem {
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  readonly wrappedKeys: readonly WrappedKey[];
}

/**
 * Encrypts an item (AES-256-GCM) with a fresh key and nonce, and wraps the key for each recipient. The payload is bound to its
 * place, kind, title hash and key, so opening fails when a server passes it off as another item or as a later version.
 * Produces format 2; `openItem` also opens format 1.
 *
 * @example
 * ```ts
 * import { createWriterKeys, sealItem } from "@platform-rpc/client/crypto";
 *
 * const writer = { writerId: "ada", ...(await createWriterKeys()) };
 * const plaintext = new TextEncoder().encode("correct horse");
 * const recipients = [{ recipientId: "ada", publicKey }];
 * const sealed = await sealItem({ place, kind: "login", titleHash: "", plaintext, recipients, writer });
 * console.log(sealed.encryptedPayload.alg, sealed.encryptedPayload.version, sealed.wrappedKeys[0]?.wrapAlg);
 * // A256GCM 2 ECDH-ES+A256KW
 * ```
 *
 * @throws TypeError (as a rejection) when the place, the kind, the title hash, the plaintext, a recipient, the writer or a key is invalid;
 * RangeError when the plaintext is too long.
 */
export async function sealItem(item: ItemToSeal): Promise<SealedItem> {
  const { kind, titleHash, recipients, writer } = item;
  const names = new Set(recipients?.map(({ recipientId }) => recipientId));
  if (names.size === 0 || names.size < recipients.length)
    throw new TypeError("Invalid recipients: pass at least one, and each recipientId only once.");
  if (writer !== undefined) checkWriter(writer.writerId, writer.privateKey, "sign");
  const itemKey = await generateItemKey();
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const encryptedPayload = await encryptItem({ ...item, itemKey, nonce });
  const wrappedKeys = await Promise.all(recipients.map((recipient) => wrapItemKey(itemKey, recipient)));
  return { kind, titleHash, encryptedPayload, wrappedKeys };
}

/** An item to encrypt. The key and the nonce must never have been used together. */
interface ItemToEncrypt extends Bindings {
  readonly plaintext: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly writer?: Writer | undefined;
}

export async function encryptItem(item: ItemToEncrypt): Promise<EncryptedPayload> {
  const { plaintext, itemKey, nonce, writer } = item;
  // Anything else would be copied as zeros. Not instanceof: bytes may come from another realm, such as an iframe.
  if (Object.prototype.toString.call(plaintext) !== "[object Uint8Array]")
    throw new TypeError("Invalid plaintext: must be a Uint8Array. Encode text with new TextEncoder().encode().");
  if (plaintext.byteLength > longestPlaintext)
    throw new RangeError(`Invalid plaintext: must be at most ${longestPlaintext} bytes. Shorten or split it.`);
  const additionalData = await associatedData(2, item);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData };
  const content = await encodeContent(plaintext, additionalData, writer);
  const ciphertext = await subtle().encrypt(algorithm, cryptoKeyOf(itemKey), content);
  return {
    alg: "A256GCM",
    nonce: encodeBase64url(nonce),
    aad: encodeBase64url(additionalData),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
    version: 2,
  };
}
