import { decodeBase64url, encodeBase64url } from "./base64url.js";
import { cryptoKeyOf, handleOf, heldItemKey, type ItemKey } from "./item-key.js";
import { isIdentifier } from "./item-place.js";
import { generateEphemeral, unwrapByAgreement, wrapByAgreement } from "./key-agreement.js";
import { OpenFailure, openOrFail } from "./open-failure.js";
import { wrapAlgorithmOf } from "./recipient-keys.js";
import type { WebCryptoKey } from "./web-crypto.js";

/** The JSON of `platform.v1.WrappedKey`. */
export interface WrappedKey {
  readonly recipientId: string;
  readonly wrapAlg: string;
  readonly wrappedKey: string;
}

/** Who is to read an item. That the key is this recipient's is for you to know: the server could give you another. */
export interface Recipient {
  readonly recipientId: string;
  /** For ECDH (P-256), or for RSA-OAEP (SHA-256; 2048 bits or more; with the usage wrapKey). */
  readonly publicKey: WebCryptoKey;
}

/** Who opens an item. */
export interface KeyHolder {
  readonly recipientId: string;
  /** For ECDH (P-256, usage deriveBits), or for RSA-OAEP (SHA-256, usage unwrapKey). */
  readonly privateKey: WebCryptoKey;
}

/**
 * Wraps an item key for one recipient more, by the algorithm that the recipient's key is for.
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
 * @throws TypeError (as a rejection) when the recipient's id or key is none.
 * @see RFC 7518 sections 4.3 and 4.6
 */
export async function wrapItemKey(itemKey: ItemKey, recipient: Recipient): Promise<WrappedKey> {
  const { recipientId, publicKey } = recipient;
  if (!isIdentifier(recipientId)) throw new TypeError("recipientId must be an identifier of the platform");
  const wrapAlg = wrapAlgorithmOf(publicKey, "public");
  const wrapped =
    wrapAlg === "ECDH-ES+A256KW"
      ? await wrapByAgreement(itemKey, recipient, await generateEphemeral())
      : new Uint8Array(await crypto.subtle.wrapKey("raw", cryptoKeyOf(itemKey), publicKey, "RSA-OAEP"));
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
 * @throws OpenFailure (as a rejection) whatever is wrong with the wrapped key: altered, another recipient's, of another
 * algorithm than the private key's. TypeError when the private key is none.
 */
export async function unwrapItemKey(wrapped: WrappedKey, holder: KeyHolder): Promise<ItemKey> {
  const { recipientId, privateKey } = holder;
  const wrapAlg = wrapAlgorithmOf(privateKey, "private");
  return openOrFail(async () => {
    const bytes = decodeBase64url(wrapped.wrappedKey);
    if (bytes === undefined || wrapped.wrapAlg !== wrapAlg || wrapped.recipientId !== recipientId)
      throw new OpenFailure();
    const itemKey =
      wrapAlg === "ECDH-ES+A256KW" ? await unwrapByAgreement(bytes, holder) : await decryptKey(bytes, privateKey);
    // Whoever wrapped it chose its length, and AES takes shorter ones.
    const { length }: { readonly name: string; readonly length?: number } = cryptoKeyOf(itemKey).algorithm;
    if (length !== heldItemKey.algorithm.length) throw new OpenFailure();
    return itemKey;
  });
}

async function decryptKey(wrapped: Uint8Array<ArrayBuffer>, privateKey: WebCryptoKey): Promise<ItemKey> {
  const { algorithm, extractable, usages } = heldItemKey;
  return handleOf(
    await crypto.subtle.unwrapKey("raw", wrapped, privateKey, "RSA-OAEP", algorithm, extractable, usages),
  );
}
