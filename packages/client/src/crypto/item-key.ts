import type { WebCryptoKey } from "./web-crypto.js";

declare const opaque: unique symbol;

/**
 * The key that one item is encrypted with, as a handle: it holds no bytes, and prints as "[redacted]" wherever it is
 * printed. The key itself stays in the runtime's cryptography until `exportItemKey` is called.
 */
export interface ItemKey {
  readonly [opaque]: true;
  /** "[redacted]". */
  toString(): string;
  /** "[redacted]". */
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

/** How an item key is held: extractable, for it could not be wrapped otherwise, and reached through this module alone. */
export const heldItemKey = {
  algorithm: { name: "AES-GCM", length: 256 },
  extractable: true,
  usages: ["encrypt", "decrypt"],
} as const;
const { algorithm, extractable, usages } = heldItemKey;

/** A new item key, from the runtime's randomness. */
export async function generateItemKey(): Promise<ItemKey> {
  return handleOf(await crypto.subtle.generateKey(algorithm, extractable, usages));
}

/**
 * The item key of 32 bytes that were exported before.
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
 * @throws TypeError (as a rejection) when it is not 32 bytes long.
 */
export async function importItemKey(bytes: Uint8Array<ArrayBuffer>): Promise<ItemKey> {
  if (bytes.byteLength !== 32) throw new TypeError("An item key is 32 bytes long");
  return handleOf(await crypto.subtle.importKey("raw", bytes, algorithm, extractable, usages));
}

/**
 * The 32 bytes of an item key: for a backup, or to wrap it by other means. Whoever has them can read the item.
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
 * @throws TypeError (as a rejection) when it is no item key of this module.
 */
export async function exportItemKey(itemKey: ItemKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.exportKey("raw", cryptoKeyOf(itemKey)));
}

export function handleOf(key: WebCryptoKey): ItemKey {
  const handle: ItemKey = Object.freeze(Object.create(appearance));
  cryptoKeys.set(handle, key);
  return handle;
}

export function cryptoKeyOf(itemKey: ItemKey): WebCryptoKey {
  const key = cryptoKeys.get(itemKey);
  if (key === undefined) throw new TypeError("That is no item key of this module");
  return key;
}
