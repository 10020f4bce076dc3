import { decodeBase64url, encodeBase64url } from "./bytes.js";
import { identifierRule, isIdentifier } from "./item-fields.js";
import { cryptoKeyOf, handleOf, type ItemKey, itemKeyParameters } from "./item-key.js";
import { generateEphemeral, unwrapByAgreement, wrapByAgreement } from "./key-agreement.js";
import { wrapAlgorithmOf } from "./key-pairs.js";
import { OpenError, openOrFail } from "./open-error.js";
import { subtle, type WebCryptoKey } from "./web-crypto.js";

/** A wrapped item key: the JSON form of `platform.v1.WrappedKey`. */
export interface WrappedKey {
  readonly recipientId: string;
  readonly wrapAlg: string;
  readonly wrappedKey: string;
}

/** Someone who can read an item. Verify that the key belongs to the recipient: a server could substitute another. */
export interface Recipient {
  readonly recipientId: string;
  /** ECDH (P-256), or RSA-OAEP (SHA-256, at least 2048 bits, usage wrapKey). */
  readonly publicKey: WebCryptoKey;
}

/** The recipient who opens an item. */
export interface KeyHolder {
  readonly recipientId: string;
  /** ECDH (P-256, usage deriveBits), or RSA-OAEP (SHA-256, usage unwrapKey). */
  readonly privateKey: WebCryptoKey;
}

/**
 * Wraps an item key for another recipient. The recipient's key determines the algorithm.
 *
 * @example
 * ```ts
 * import { createRecipientKeys, wrapItemKey } from "@platform-rpc/client/crypto";
 *
 * const { publicKey } = await createRecipientKeys({ wrapAlg: "RSA-OAEP-256" });
 * const wrapped = await wrapItemKey(itemKey, { recipientId: "bob", publicKey });
 * console.log(wrapped.recipientId, wrapped.wrapAlg);
 * // bob RSA-OAEP-256
 * ```
 *
 * @throws TypeError (as a rejection) when the item key, or the recipient's id or key, is invalid.
 * @see RFC 7518 sections 4.3 and 4.6
 */
export async function wrapItemKey(itemKey: ItemKey, recipient: Recipient): Promise<WrappedKey> {
  const { recipientId, publicKey } = recipient;
  if (!isIdentifier(recipientId)) throw new TypeError(`Invalid recipientId: must be ${identifierRule}.`);
  const wrapAlg = wrapAlgorithmOf(publicKey, "public");
  const wrapped =
    wrapAlg === "ECDH-ES+A256KW"
      ? await wrapByAgreement(itemKey, recipient, await generateEphemeral())
      : new Uint8Array(await subtle().wrapKey("raw", cryptoKeyOf(itemKey), publicKey, "RSA-OAEP"));
  return { recipientId, wrapAlg, wrappedKey: encodeBase64url(wrapped) };
}

/**
 * Unwraps an item key.
 *
 * @example
 * ```ts
 * import { unwrapItemKey } from "@platform-rpc/client/crypto";
 *
 * const mine = wrappedKeys.find(({ recipientId }) => recipientId === "ada");
 * const itemKey = mine && (await unwrapItemKey(mine, { recipientId: "ada", privateKey }));
 * console.log(`${itemKey}`);
 * // [redacted]
 * ```
 *
 * @throws OpenError (as a rejection) when the wrapped key was altered, belongs to another recipient, or has another algorithm
 * than the private key. TypeError when the private key is invalid.
 */
export async function unwrapItemKey(wrapped: WrappedKey, holder: KeyHolder): Promise<ItemKey> {
  const { recipientId, privateKey } = holder;
  const wrapAlg = wrapAlgorithmOf(privateKey, "private");
  return openOrFail(async () => {
    const bytes = decodeBase64url(wrapped.wrappedKey);
    if (bytes === undefined || wrapped.wrapAlg !== wrapAlg || wrapped.recipientId !== recipientId)
      throw new OpenError();
    const itemKey =
      wrapAlg === "ECDH-ES+A256KW" ? await unwrapByAgreement(bytes, holder) : await decryptKey(bytes, privateKey);
    // The sender chose the key length, and AES also accepts shorter keys.
    const { length }: { readonly name: string; readonly length?: number } = cryptoKeyOf(itemKey).algorithm;
    if (length !== itemKeyParameters.algorithm.length) throw new OpenError();
    return itemKey;
  });
}

async function decryptKey(wrapped: Uint8Array<ArrayBuffer>, privateKey: WebCryptoKey): Promise<ItemKey> {
  const { algorithm, extractable, usages } = itemKeyParameters;
  return handleOf(await subtle().unwrapKey("raw", wrapped, privateKey, "RSA-OAEP", algorithm, extractable, usages));
}
