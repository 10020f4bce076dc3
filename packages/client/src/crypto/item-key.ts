import { subtle, type WebCryptoKey } from "./web-crypto.js";

declare const opaque: unique symbol;

/**
 * A handle for the key that encrypts one item. It contains no key bytes and always prints as "[redacted]". The key itself
 * stays in WebCrypto until you call `exportItemKey`.
 */
export interface ItemKey {
  readonly [opaque]: true;
  /** Returns "[redacted]". */
  toString(): string;
  /** Returns "[redacted]". */
  toJSON(): string;
}

const redacted = () => "[redacted]";
const appearance = Object.freeze({
  toString: redacted,
  toJSON: redacted,
  [Symbol.for("nodejs.util.inspect.custom")]: redacted,
  [Symbol.toStringTag]: "ItemKey",
});
const cryptoKeys = new WeakMap<ItemKey, WebCryptoKey>();

/** The WebCrypto parameters of an item key. It is extractable because wrapping requires it; only this module reaches it. */
export const itemKeyParameters = {
  algorithm: { name: "AES-GCM", length: 256 },
  extractable: true,
  usages: ["encrypt", "decrypt"],
} as const;
const { algorithm, extractable, usages } = itemKeyParameters;

export async function generateItemKey(): Promise<ItemKey> {
  return handleOf(await subtle().generateKey(algorithm, extractable, usages));
}

/**
 * Imports an item key from the 32 bytes that `exportItemKey` returned.
 *
 * @example
 * ```ts
 * import { exportItemKey, importItemKey, openItem } from "@platform-rpc/client/crypto";
 *
 * const imported = await importItemKey(await exportItemKey(itemKey));
 * const { plaintext } = await openItem({ place, ...item, itemKey: imported });
 * console.log(new TextDecoder().decode(plaintext));
 * // correct horse
 * ```
 *
 * @throws TypeError (as a rejection) when `bytes` is not 32 bytes long.
 */
export async function importItemKey(bytes: Uint8Array<ArrayBuffer>): Promise<ItemKey> {
  if (bytes.byteLength !== 32) throw new TypeError("Invalid item key: must be 32 bytes long.");
  return handleOf(await subtle().importKey("raw", bytes, algorithm, extractable, usages));
}

/**
 * Exports the 32 bytes of an item key, for a backup or to wrap it by other means. Anyone who has them can read the item.
 *
 * @example
 * ```ts
 * import { exportItemKey } from "@platform-rpc/client/crypto";
 *
 * const bytes = await exportItemKey(itemKey);
 * console.log(bytes.byteLength);
 * // 32
 * ```
 *
 * @throws TypeError (as a rejection) when `itemKey` is not an item key that this module created.
 */
export async function exportItemKey(itemKey: ItemKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await subtle().exportKey("raw", cryptoKeyOf(itemKey)));
}

export function handleOf(key: WebCryptoKey): ItemKey {
  const handle: ItemKey = Object.freeze(Object.create(appearance));
  cryptoKeys.set(handle, key);
  return handle;
}

export function cryptoKeyOf(itemKey: ItemKey): WebCryptoKey {
  const key = cryptoKeys.get(itemKey);
  if (key === undefined)
    throw new TypeError("Invalid itemKey: pass the ItemKey that importItemKey or unwrapItemKey returned, not a copy.");
  return key;
}
