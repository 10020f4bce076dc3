import { associatedData, type Bindings } from "./associated-data.js";
import { encodeBase64url } from "./base64url.js";
import type { EncryptedPayload } from "./encrypted-payload.js";
import { cryptoKeyOf, generateItemKey } from "./item-key.js";
import type { ItemPlace } from "./item-place.js";
import { encodeContent, longestHeader } from "./sealed-content.js";
import { type Recipient, type WrappedKey, wrapItemKey } from "./wrap-item-key.js";
import { checkWriter, type Writer } from "./writer-keys.js";

/** Bytes: the platform takes 36 864 as ciphertext, 16 of them are its tag. The same whether or not there is a writer. */
const longestPlaintext = 36_864 - 16 - longestHeader;

/** The content of an item, where it will be, and for whom it is. */
export interface ItemToSeal {
  readonly place: ItemPlace;
  /** What the item holds, as it is stored: `login`, `secure_note` and so on. */
  readonly kind: string;
  /** The hash of the title, as it is stored: see `titleHash`. May be empty. */
  readonly titleHash: string;
  /** At most 36 654 bytes. Its length can be told from the ciphertext: pad it if that says too much. */
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /** Who is to read it, each named once. At least one: the writer, as a rule. */
  readonly recipients: readonly Recipient[];
  /** Signs the item, for readers that demand it. Default: nobody; anyone with the recipients' public keys can seal such an item. */
  readonly writer?: Writer | undefined;
}

/** What the platform stores of an item: the JSON of its fields of these names. */
export interface SealedItem {
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload: EncryptedPayload;
  readonly wrappedKeys: readonly WrappedKey[];
}

/**
 * Encrypts an item (AES-256-GCM) with a fresh key and nonce, and wraps the key for each recipient. The payload is bound to its
 * place, kind, title hash and key: a server that passes it off as another item, or as a later version, is found out when it is
 * opened. In format 2; `openItem` also opens format 1.
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
 * @throws TypeError (as a rejection) when the place, the kind, the title hash, a recipient, the writer or a key is none; RangeError
 * when the plaintext is too long.
 */
export async function sealItem(item: ItemToSeal): Promise<SealedItem> {
  const { kind, titleHash, recipients, writer } = item;
  const names = new Set(recipients.map(({ recipientId }) => recipientId));
  if (names.size === 0 || names.size < recipients.length)
    throw new TypeError("An item needs recipients, and each of them once");
  if (writer !== undefined) checkWriter(writer.writerId, writer.privateKey, "sign");
  const itemKey = await generateItemKey();
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const encryptedPayload = await encryptItem({ ...item, itemKey, nonce });
  const wrappedKeys = await Promise.all(recipients.map((recipient) => wrapItemKey(itemKey, recipient)));
  return { kind, titleHash, encryptedPayload, wrappedKeys };
}

/** What to encrypt, with a key and a nonce that must never have been used together. */
interface ItemToEncrypt extends Bindings {
  readonly plaintext: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly writer?: Writer | undefined;
}

export async function encryptItem(item: ItemToEncrypt): Promise<EncryptedPayload> {
  const { plaintext, itemKey, nonce, writer } = item;
  if (plaintext.byteLength > longestPlaintext) throw new RangeError(`An item holds at most ${longestPlaintext} bytes`);
  const additionalData = await associatedData(2, item);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData };
  const content = await encodeContent(plaintext, additionalData, writer);
  const ciphertext = await crypto.subtle.encrypt(algorithm, cryptoKeyOf(itemKey), content);
  return {
    alg: "A256GCM",
    nonce: encodeBase64url(nonce),
    aad: encodeBase64url(additionalData),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
    version: 2,
  };
}
