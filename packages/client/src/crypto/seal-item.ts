import { encodeBase64url } from "./base64url.js";
import type { EncryptedPayload } from "./encrypted-payload.js";
import { cryptoKeyOf, generateItemKey, type ItemKey } from "./item-key.js";
import { encodePlace, formatVersion, type ItemPlace } from "./item-place.js";
import { type Recipient, type WrappedKey, wrapItemKey } from "./wrap-item-key.js";

/** The most that an item can hold, in bytes: what the platform takes as its ciphertext. */
const longestPlaintext = 36_848;

/** The content of an item, where it will be, and for whom it is. */
export interface ItemToSeal {
  readonly place: ItemPlace;
  /** At most 36 848 bytes. Its length can be told from the ciphertext: pad it if that says too much. */
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /** Who is to read it, each named once. At least one: the writer, as a rule. */
  readonly recipients: readonly Recipient[];
}

/** What the platform stores of an item: the JSON of its fields of these names. */
export interface SealedItem {
  readonly encryptedPayload: EncryptedPayload;
  readonly wrappedKeys: readonly WrappedKey[];
}

/**
 * Encrypts an item (AES-256-GCM) with a fresh key and nonce, and wraps the key for each recipient. Bound to its place: a
 * server that passes it off as another item, or as a later version, is found out when it is opened.
 *
 * @example
 * ```ts
 * import { sealItem } from "@platform/client/crypto";
 *
 * const plaintext = new TextEncoder().encode("correct horse");
 * const sealed = await sealItem({ place, plaintext, recipients: [{ recipientId: "ada", publicKey }] });
 * console.log(sealed.encryptedPayload.alg, sealed.wrappedKeys[0]?.wrapAlg);
 * // A256GCM ECDH-ES+A256KW
 * ```
 *
 * @throws TypeError (as a rejection) when a place, a recipient or its key is none; RangeError when the plaintext is too
 * long.
 */
export async function sealItem({ place, plaintext, recipients }: ItemToSeal): Promise<SealedItem> {
  const names = new Set(recipients.map(({ recipientId }) => recipientId));
  if (names.size === 0 || names.size < recipients.length)
    throw new TypeError("An item needs recipients, and each of them once");
  const itemKey = await generateItemKey();
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const encryptedPayload = await encryptItem({ place, plaintext, itemKey, nonce });
  const wrappedKeys = await Promise.all(recipients.map((recipient) => wrapItemKey(itemKey, recipient)));
  return { encryptedPayload, wrappedKeys };
}

/** Encrypts with a key and a nonce that must never have been used together. */
export async function encryptItem(input: {
  readonly place: ItemPlace;
  readonly plaintext: Uint8Array<ArrayBuffer>;
  readonly itemKey: ItemKey;
  readonly nonce: Uint8Array<ArrayBuffer>;
}): Promise<EncryptedPayload> {
  const { place, plaintext, itemKey, nonce } = input;
  if (plaintext.byteLength > longestPlaintext) throw new RangeError("An item holds at most 36848 bytes");
  const aad = encodePlace(place);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: aad };
  const ciphertext = await crypto.subtle.encrypt(algorithm, cryptoKeyOf(itemKey), plaintext);
  return {
    alg: "A256GCM",
    nonce: encodeBase64url(nonce),
    aad: encodeBase64url(aad),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
    version: formatVersion,
  };
}
