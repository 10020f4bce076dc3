import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import type { Clock } from "../ports/clock.js";
import { deriveKeys } from "./derived-keys.js";
import {
  importPrivateKey,
  type KeyFile,
  KeyFileError,
  type KeyStore,
  type PrivateJwk,
  type StoredKey,
} from "./key-file.js";
import { currentKey, dueKey, type KeySpan, publishedKeys } from "./key-rotation.js";
import { hmacKeyBytes } from "./secrets.js";

/** A published public key (RFC 7517, RFC 8037, RFC 9864). */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "Ed25519";
}

/** The signing keys of the platform. */
export interface KeyRing {
  /** The HMAC key for codes: 32 bytes. */
  readonly hmacKey: Uint8Array;
  /** A key for encrypting contents at rest, derived from the HMAC key: 32 bytes. Like that, it is never rotated. */
  readonly contentKey: Uint8Array;
  /** Returns the `kid` of the current signing key. There is always exactly one. */
  currentKeyId(): string;
  /** Returns the private key with this `kid`; undefined when there is none, or it was removed. */
  privateKey(keyId: string): KeyObject | undefined;
  /** Returns the public key with this `kid`; undefined when there is none, or it was removed. */
  publicKey(keyId: string): KeyObject | undefined;
  /** When the keys were last loaded from the store, by `performance.now()`. */
  readonly loadedAt: number;
  /** Returns the content of `/.well-known/jwks.json`. */
  jwks(): { readonly keys: readonly PublicJwk[] };
  /**
   * Rotates the keys: creates the next key when it is due, and removes keys whose tokens have all expired. Call it every few
   * minutes. It reloads the store, so that processes that share a store load each other's keys an hour before their use. When it
   * rejects, the key ring keeps working with its current keys.
   *
   * @throws KeyFileError
   */
  tick(): Promise<void>;
}

export interface KeyRingOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  /**
   * Returns whether the clock can be trusted now. While it cannot, keys are neither created nor removed, except the first
   * key of an empty store. Default: always true.
   */
  readonly clockTrusted?: () => boolean;
}

/** How often one tick loads the keys. It needs a second time only if another process has changed them in between. */
const maxTries = 5;

interface LoadedKey extends KeySpan {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/**
 * Loads the keys from the store, or creates the first ones, and rotates them. Processes that share a store have the same keys,
 * even if all of them start at the same moment: one of them saves new keys, and the others load these.
 *
 * To revoke all signing keys at once, empty `keys` in the file: the next tick creates a new key, and every token signed
 * before is rejected. Restart every process that keeps tokens for its own use, such as an administration token, so that it gets
 * new ones.
 *
 * @throws KeyFileError
 */
export async function createKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { store, clock, clockTrusted = () => true } = options;
  let file: KeyFile = { version: 1, hmacKey: randomBytes(hmacKeyBytes).toString("base64url"), keys: [] };
  let loaded: readonly LoadedKey[] = [];
  let loadedAt = performance.now();

  /** Loads and rotates the keys. Returns false if another process has saved other keys since they were loaded. */
  async function loadAndRotate(): Promise<boolean> {
    const beganAt = performance.now();
    const stored = await store.load();
    const known = stored ?? file;
    const keys = rotate(known.keys, clock.now(), clockTrusted());
    const nextLoaded = await Promise.all(keys.map(loadKey));
    const unchanged = keys.length === known.keys.length && keys.at(-1) === known.keys.at(-1);
    const next = { ...known, keys };
    if ((stored === undefined || !unchanged) && !(await store.save(next, stored))) return false;
    file = next;
    loaded = nextLoaded;
    loadedAt = beganAt;
    return true;
  }

  async function tick(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) if (await loadAndRotate()) return;
    throw new KeyFileError(`The keys were not saved: other processes changed them ${maxTries} times in between.`);
  }

  await tick();
  const find = (keyId: string) => loaded.find(({ publicJwk }) => publicJwk.kid === keyId);
  const hmacKey = Buffer.from(file.hmacKey, "base64url");
  return {
    hmacKey,
    contentKey: deriveKeys(file).contentKey,
    currentKeyId() {
      const key = currentKey(loaded, clock.now());
      if (key === undefined) throw new Error("The key ring has no keys");
      return key.publicJwk.kid;
    },
    privateKey: (keyId) => find(keyId)?.privateKey,
    publicKey: (keyId) => find(keyId)?.publicKey,
    get loadedAt() {
      return loadedAt;
    },
    jwks: () => ({ keys: publishedKeys(loaded, clock.now()).map(({ publicJwk }) => publicJwk) }),
    tick,
  };
}

function rotate(keys: readonly StoredKey[], now: number, trusted: boolean): StoredKey[] {
  const ordered = keys.toSorted((a, b) => a.signsFrom - b.signsFrom);
  if (!trusted && ordered.length > 0) return ordered;
  const due = dueKey(ordered, now);
  return publishedKeys(due === undefined ? ordered : [...ordered, { ...due, jwk: generateJwk() }], now);
}

function generateJwk(): PrivateJwk {
  const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  if (x === undefined || d === undefined) throw new Error("node:crypto generated an Ed25519 key without x or d");
  return { kty: "OKP", crv: "Ed25519", x, d };
}

async function loadKey({ jwk, createdAt, signsFrom }: StoredKey): Promise<LoadedKey> {
  const { kty, crv, x } = jwk;
  const privateKey = importPrivateKey(jwk);
  const kid = await calculateJwkThumbprint({ kty, crv, x });
  return {
    createdAt,
    signsFrom,
    privateKey,
    publicKey: createPublicKey(privateKey),
    publicJwk: { kty, crv, x, kid, use: "sig", alg: "Ed25519" },
  };
}
