import { decodeBase64url, encodeBase64url } from "./bytes.js";
import { identifierRule, isIdentifier } from "./item-fields.js";
import { cryptoKeyOf, handleOf, type ItemKey, itemKeyParameters } from "./item-key.js";
import { generateEphemeral, unwrapByAgreement, wrapByAgreement } from "./key-agreement.js";
import { wrapAlgorithmOf } from "./key-pairs.js";
import { OpenError, openOrFail } from "./open-error.js";
import { cryptoKeysOf, type VaultKey } from "./vault-key.js";
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

/** A vault whose members can read an item: each of them has the key of the vault. */
export interface VaultKeyHolder {
  /** The id of the vault key. */
  readonly recipientId: string;
  readonly vaultKey: VaultKey;
}

/**
 * Wraps an item key for another recipient, or for a vault. The recipient's key determines the algorithm: a vault key wraps with A256KW.
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
 * @see RFC 7518 sections 4.3, 4.4 and 4.6
 */
export async function wrapItemKey(itemKey: ItemKey, recipient: Recipient | VaultKeyHolder): Promise<WrappedKey> {
  const { recipientId } = recipient;
  if (!isIdentifier(recipientId)) throw new TypeError(`Invalid recipientId: must be ${identifierRule}.`);
  if ("vaultKey" in recipient) {
    const { itemWrapping } = cryptoKeysOf(recipient.vaultKey);
    const wrapped = await subtle().wrapKey("raw", cryptoKeyOf(itemKey), itemWrapping, "AES-KW");
    return { recipientId, wrapAlg: forVault, wrappedKey: encodeBase64url(new Uint8Array(wrapped)) };
  }
  const { publicKey } = recipient;
  const wrapAlg = wrapAlgorithmOf(publicKey, "public");
  const wrapped =
    wrapAlg === "ECDH-ES+A256KW"
      ? await wrapByAgreement(itemKey, recipient, await generateEphemeral())
      : new Uint8Array(await subtle().wrapKey("raw", cryptoKeyOf(itemKey), publicKey, "RSA-OAEP"));
  return { recipientId, wrapAlg, wrappedKey: encodeBase64url(wrapped) };
}

/** AES Key Wrap with 256 bits. @see RFC 3394 */
const forVault = "A256KW";

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
 * than the holder's key. TypeError when the holder's key is invalid.
 */
export async function unwrapItemKey(wrapped: WrappedKey, holder: KeyHolder | VaultKeyHolder): Promise<ItemKey> {
  const { wrapAlg, unwrap } = unwrapping(holder);
  return openOrFail(async () => {
    const bytes = decodeBase64url(wrapped.wrappedKey);
    if (bytes === undefined || wrapped.wrapAlg !== wrapAlg || wrapped.recipientId !== holder.recipientId)
      throw new OpenError();
    const itemKey = await unwrap(bytes);
    // The sender chose the key length, and AES also accepts shorter keys.
    const { length }: { readonly name: string; readonly length?: number } = cryptoKeyOf(itemKey).algorithm;
    if (length !== itemKeyParameters.algorithm.length) throw new OpenError();
    return itemKey;
  });
}

/** Returns how a holder unwraps. It depends on the holder's key alone, never on the `wrapAlg` of a wrapped key. */
function unwrapping(holder: KeyHolder | VaultKeyHolder) {
  if ("vaultKey" in holder) {
    const { itemWrapping } = cryptoKeysOf(holder.vaultKey);
    return { wrapAlg: forVault, unwrap: unwrapWith(itemWrapping, "AES-KW") };
  }
  const wrapAlg = wrapAlgorithmOf(holder.privateKey, "private");
  const agrees = wrapAlg === "ECDH-ES+A256KW";
  return {
    wrapAlg,
    unwrap: agrees
      ? (bytes: Uint8Array<ArrayBuffer>) => unwrapByAgreement(bytes, holder)
      : unwrapWith(holder.privateKey, "RSA-OAEP"),
  };
}

function unwrapWith(key: WebCryptoKey, algorithmName: "AES-KW" | "RSA-OAEP") {
  const { algorithm, extractable, usages } = itemKeyParameters;
  return async (wrapped: Uint8Array<ArrayBuffer>): Promise<ItemKey> =>
    handleOf(await subtle().unwrapKey("raw", wrapped, key, algorithmName, algorithm, extractable, usages));
}
