import { concat, decodeBase64url, encodeBase64url, utf8 } from "./bytes.js";
import { identifierRule, isIdentifier, isVersion } from "./item-fields.js";
import { OpenError, openOrFail } from "./open-error.js";
import { subtle, type WebCryptoKey } from "./web-crypto.js";

declare const opaque: unique symbol;

/**
 * A handle for the key of a vault, which wraps the keys of its items, encrypts its name and hashes titles. It contains no key bytes and always prints as
 * "[redacted]". The 32 bytes stay in this module: you can only wrap them for their holder, with `wrapVaultKey`.
 */
export interface VaultKey {
  readonly [opaque]: true;
  /** Returns "[redacted]". */
  toString(): string;
  /** Returns "[redacted]". */
  toJSON(): string;
}

/** Who holds a wrapped vault key, and what it is bound to. Nothing wrapped for another place can be opened in its stead. */
export interface VaultKeyPlace {
  /** The holder's own symmetric key: AES-GCM with 256 bits. */
  readonly wrappingKey: WebCryptoKey;
  /** The holder's account. */
  readonly accountId: string;
  readonly vaultId: string;
  /** The id of the vault key. Take it from where you keep what you trust, or from the server: another one does not open. */
  readonly keyId: string;
  /** How often the vault has had another key: 1 for the first. */
  readonly epoch: number;
}

const redacted = () => "[redacted]";
const appearance = Object.freeze({
  toString: redacted,
  toJSON: redacted,
  [Symbol.for("nodejs.util.inspect.custom")]: redacted,
  [Symbol.toStringTag]: "VaultKey",
});

/** The key of a vault in WebCrypto, and what is derived from it. Its own bytes encrypt nothing. */
interface VaultCryptoKeys {
  /** Can be exported, to be wrapped for a holder. */
  readonly key: WebCryptoKey;
  /** AES-KW, for the keys of items. */
  readonly itemWrapping: WebCryptoKey;
  /** AES-GCM, for the name. */
  readonly name: WebCryptoKey;
  /** HMAC-SHA-256, for the hashes of titles. */
  readonly titles: WebCryptoKey;
}

const cryptoKeys = new WeakMap<object, VaultCryptoKeys>();
const keyBytes = 32;
const nonceBytes = 12;

/**
 * Creates the key of a vault: 32 random bytes.
 *
 * @example
 * ```ts
 * import { createVaultKey } from "@platform-rpc/client/crypto";
 *
 * const vaultKey = await createVaultKey();
 * console.log(`${vaultKey}`);
 * // [redacted]
 * ```
 */
export async function createVaultKey(): Promise<VaultKey> {
  return vaultKeyOf(crypto.getRandomValues(new Uint8Array(keyBytes)));
}

/**
 * Wraps a vault key for its holder: base64url of a nonce (12 bytes), and the key encrypted with AES-256-GCM. The associated data is the
 * JSON text `["platform.v1 vault key",1,accountId,vaultId,keyId,epoch]`.
 *
 * @example
 * ```ts
 * import { createVaultKey, openVaultKey, wrapVaultKey } from "@platform-rpc/client/crypto";
 *
 * const wrappingKey = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
 * const place = { wrappingKey, accountId: "ada", vaultId: "family", keyId: "key-1", epoch: 1 };
 * const wrapped = await wrapVaultKey(await createVaultKey(), place);
 * console.log(`${await openVaultKey(wrapped, place)}`);
 * // [redacted]
 * ```
 *
 * @throws TypeError (as a rejection) when the vault key, an id, the epoch or the wrapping key is invalid.
 * @see https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export async function wrapVaultKey(vaultKey: VaultKey, place: VaultKeyPlace): Promise<string> {
  checkPlace(place);
  const bytes = new Uint8Array(await subtle().exportKey("raw", cryptoKeysOf(vaultKey).key));
  const wrapped = await seal(place.wrappingKey, bytes, placeData(place));
  bytes.fill(0);
  return wrapped;
}

/**
 * Opens a wrapped vault key.
 *
 * @example
 * ```ts
 * import { createVaultKey, OpenError, openVaultKey, wrapVaultKey } from "@platform-rpc/client/crypto";
 *
 * const wrappingKey = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
 * const place = { wrappingKey, accountId: "ada", vaultId: "family", keyId: "key-1", epoch: 1 };
 * const wrapped = await wrapVaultKey(await createVaultKey(), place);
 * console.log(await openVaultKey(wrapped, { ...place, accountId: "bob" }).catch((error) => error instanceof OpenError));
 * // true
 * ```
 *
 * @throws OpenError (as a rejection) when it was altered, or wrapped with another key, or for another account, vault, key id or epoch.
 * TypeError when an id, the epoch or the wrapping key is invalid.
 */
export async function openVaultKey(wrapped: string, place: VaultKeyPlace): Promise<VaultKey> {
  checkPlace(place);
  const bytes = await open(place.wrappingKey, wrapped, placeData(place));
  if (bytes.byteLength !== keyBytes) throw new OpenError();
  return vaultKeyOf(bytes);
}

/** Reports whether a value is a handle that this module created. */
export function isVaultKey(value: unknown): value is VaultKey {
  return typeof value === "object" && value !== null && cryptoKeys.has(value);
}

/** Returns the WebCrypto keys behind a handle. @throws TypeError when this module did not create it */
export function cryptoKeysOf(vaultKey: VaultKey): VaultCryptoKeys {
  const keys = cryptoKeys.get(vaultKey);
  if (keys === undefined)
    throw new TypeError(
      "Invalid vaultKey: pass the VaultKey that createVaultKey or openVaultKey returned, not a copy.",
    );
  return keys;
}

/** Encrypts bytes: base64url of a random nonce and the ciphertext. */
export async function seal(key: WebCryptoKey, bytes: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const ciphertext = await subtle().encrypt({ name: "AES-GCM", iv, additionalData: data }, key, bytes);
  return encodeBase64url(concat([iv, new Uint8Array(ciphertext)]));
}

/** Decrypts what {@link seal} returned. @throws OpenError (as a rejection) when it cannot be opened */
export function open(key: WebCryptoKey, sealed: string, additionalData: Uint8Array<ArrayBuffer>) {
  return openOrFail(async () => {
    const bytes = typeof sealed === "string" ? decodeBase64url(sealed) : undefined;
    if (bytes === undefined) throw new OpenError();
    const iv = bytes.slice(0, nonceBytes);
    const opened = await subtle().decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes.slice(nonceBytes));
    return new Uint8Array(opened);
  });
}

/** Imports the bytes of a vault key, and overwrites them. */
async function vaultKeyOf(bytes: Uint8Array<ArrayBuffer>): Promise<VaultKey> {
  const secret = await subtle().importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const derive = (purpose: string, algorithm: KeyType, usages: KeyUses) => {
    const info = utf8(`platform vault key 1: ${purpose}`);
    const kdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
    return subtle().deriveKey(kdf, secret, { ...algorithm, length: 256 }, false, usages);
  };
  const handle: VaultKey = Object.freeze(Object.create(appearance));
  cryptoKeys.set(handle, {
    key: await subtle().importKey("raw", bytes, "AES-GCM", true, ["encrypt"]),
    itemWrapping: await derive("wrap item keys", { name: "AES-KW" }, ["wrapKey", "unwrapKey"]),
    name: await derive("encrypt the name", { name: "AES-GCM" }, ["encrypt", "decrypt"]),
    titles: await derive("hash titles", { name: "HMAC", hash: "SHA-256" }, ["sign"]),
  });
  bytes.fill(0);
  return handle;
}

type KeyType = { readonly name: string; readonly hash?: string };
type KeyUses = ("wrapKey" | "unwrapKey" | "encrypt" | "decrypt" | "sign")[];

function placeData({ accountId, vaultId, keyId, epoch }: VaultKeyPlace): Uint8Array<ArrayBuffer> {
  return utf8(JSON.stringify(["platform.v1 vault key", 1, accountId, vaultId, keyId, epoch]));
}

function checkPlace({ wrappingKey, accountId, vaultId, keyId, epoch }: VaultKeyPlace): void {
  const { name, length }: { readonly name?: string; readonly length?: number } = wrappingKey?.algorithm ?? {};
  if (name !== "AES-GCM" || length !== 256)
    throw new TypeError(
      "Invalid wrappingKey: must be an AES-GCM key of 256 bits. Create one with crypto.subtle.generateKey.",
    );
  if (![accountId, vaultId, keyId].every(isIdentifier))
    throw new TypeError(`Invalid place: accountId, vaultId and keyId must each be ${identifierRule}.`);
  if (!isVersion(epoch)) throw new TypeError("Invalid place: epoch must be a whole number from 1 to 4294967295.");
}
