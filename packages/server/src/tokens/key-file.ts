import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { KeySpan } from "./key-rotation.js";
import { hmacKeyBytes } from "./secrets.js";

/** A private Ed25519 key (RFC 8037). */
export interface PrivateJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly d: string;
}

/** A signing key and the time from which it signs. */
export interface StoredKey extends KeySpan {
  readonly jwk: PrivateJwk;
}

/** All persistent secrets that are not in the database. */
export interface KeyFile {
  readonly version: 1;
  /** 32 bytes, base64url. */
  readonly hmacKey: string;
  readonly keys: readonly StoredKey[];
}

/**
 * Loads and saves a key file.
 *
 * @example
 * ```ts
 * import { createMemoryKeyStore, createPlatform, type KeyStore } from "@platform-rpc/server";
 *
 * const keys: KeyStore = createMemoryKeyStore();
 * const names = { issuer: "https://id.example", audience: "https://api.example", brokerAudience: "https://b.example" };
 * const first = await createPlatform({ storage, keys, ...names });
 * const second = await createPlatform({ storage, keys, ...names });
 * console.log(first.keyRing.jwks().keys[0]?.kid === second.keyRing.jwks().keys[0]?.kid);
 * // true
 * ```
 */
export interface KeyStore {
  /** Loads the key file; undefined before the first save. @throws KeyFileError when the file cannot be used. */
  load(): Promise<KeyFile | undefined>;
  /**
   * Replaces the key file atomically and durably, if it still contains `replaced`: `load` returns the old file or the new one. Without
   * `replaced`, creates it if there is none. Of any number of processes that do so at the same time, one succeeds.
   *
   * @returns whether it was saved. If not, load what another process has saved.
   * @throws KeyFileError
   */
  save(file: KeyFile, replaced: KeyFile | undefined): Promise<boolean>;
}

/**
 * Thrown when a key file cannot be used. The message contains the path or the invalid member, never its value.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { createFileKeyStore, KeyFileError } from "@platform-rpc/server";
 *
 * writeFileSync("damaged-keys.json", "{}", { mode: 0o600 });
 * const error = await createFileKeyStore("damaged-keys.json").load().catch((reason) => reason);
 * console.log(error instanceof KeyFileError);
 * // true
 * ```
 */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/** @throws KeyFileError without a cause: the errors of JSON.parse contain parts of the input. */
export function parseKeyFile(text: string): KeyFile {
  const file = parseJson(text);
  if (!isObject(file)) throw new KeyFileError("not a JSON object");
  const { version, hmacKey, keys } = file;
  if (version !== 1) throw new KeyFileError("version must be 1");
  if (typeof hmacKey !== "string" || bytesOf(hmacKey) !== hmacKeyBytes) {
    throw new KeyFileError(`hmacKey must be ${hmacKeyBytes} bytes in base64url`);
  }
  if (!Array.isArray(keys)) throw new KeyFileError("keys must be an array");
  return { version: 1, hmacKey, keys: keys.map((key, index) => readStoredKey(key, `keys[${index}]`)) };
}

export function importPrivateKey({ kty, crv, x, d }: PrivateJwk): KeyObject {
  return createPrivateKey({ format: "jwk", key: { kty, crv, x, d } });
}

function readStoredKey(key: unknown, path: string): StoredKey {
  if (!isObject(key)) throw new KeyFileError(`${path} must be an object`);
  const { jwk, createdAt, signsFrom } = key;
  if (!isTime(createdAt)) throw new KeyFileError(`${path}.createdAt must be milliseconds since the epoch`);
  if (!isTime(signsFrom)) throw new KeyFileError(`${path}.signsFrom must be milliseconds since the epoch`);
  if (!isPrivateJwk(jwk)) throw new KeyFileError(`${path}.jwk must be a private Ed25519 key`);
  return { jwk, createdAt, signsFrom };
}

/**
 * Returns whether a value is a private Ed25519 key whose `x` belongs to its `d`. Node does not check that, and would sign tokens
 * that cannot be verified.
 */
function isPrivateJwk(jwk: unknown): jwk is PrivateJwk {
  if (!isObject(jwk)) return false;
  const { kty, crv, x, d } = jwk;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof d !== "string") return false;
  try {
    return createPublicKey(importPrivateKey({ kty, crv, x, d })).export({ format: "jwk" }).x === x;
  } catch {
    return false;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeyFileError("not JSON");
  }
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function bytesOf(base64url: string): number {
  return /^[\w-]*$/.test(base64url) ? Buffer.from(base64url, "base64url").length : 0;
}
