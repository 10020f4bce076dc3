import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import type { Clock } from "../ports/clock.js";
import { importPrivateKey, type KeyFile, type KeyStore, type PrivateJwk, type StoredKey } from "./key-file.js";
import { currentKey, dueKey, type KeySpan, publishedKeys } from "./key-rotation.js";
import { hmacKeyBytes } from "./secrets.js";

/** A public key as it is published (RFC 7517, RFC 8037, RFC 9864). */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "Ed25519";
}

/** The keys that tokens are signed with. */
export interface KeyRing {
  /** The key under which codes are hashed: 32 bytes. */
  readonly hmacKey: Uint8Array;
  /** The `kid` of the key that signs now: there always is exactly one. */
  currentKeyId(): string;
  /** Undefined when there is no such key, or no longer. */
  privateKey(keyId: string): KeyObject | undefined;
  /** Undefined when there is no such key, or no longer. */
  publicKey(keyId: string): KeyObject | undefined;
  /** What `/.well-known/jwks.json` holds. */
  jwks(): { readonly keys: readonly PublicJwk[] };
  /**
   * Does what rotation demands now: makes the next key when it is due, lets go of those whose tokens have all expired.
   * To be called every few minutes. Reads the store again, so that processes that share it learn of each other's keys,
   * an hour before they meet one. When it rejects, the ring still works with the keys that it has.
   *
   * @throws KeyFileError
   */
  tick(): Promise<void>;
}

/** Where the keys are kept. */
export interface KeyRingOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  /**
   * Whether the clock can be trusted now. While it cannot, keys are neither made nor let go of; only a store without any
   * key gets its first one. Default: always.
   */
  readonly clockTrusted?: () => boolean;
}

interface HeldKey extends KeySpan {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/**
 * Loads the keys from the store, or makes the first ones, and brings them up to date. Where processes share a store, the
 * first start is for one of them alone.
 *
 * To be rid of a key at once, empty `keys` in the file: the next tick makes one that signs from then on, and every token
 * signed before is worthless. Whoever keeps tokens of their own, as for administration, is issued new ones by a restart.
 *
 * @throws KeyFileError
 */
export async function createKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { store, clock, clockTrusted = () => true } = options;
  let file: KeyFile = { version: 1, hmacKey: randomBytes(hmacKeyBytes).toString("base64url"), keys: [] };
  let held: readonly HeldKey[] = [];

  async function tick(): Promise<void> {
    const stored = await store.load();
    const known = stored ?? file;
    const keys = rotate(known.keys, clock.now(), clockTrusted());
    const nextHeld = await Promise.all(keys.map(hold));
    const unchanged = keys.length === known.keys.length && keys.at(-1) === known.keys.at(-1);
    const next = { ...known, keys };
    if (stored === undefined || !unchanged) await store.save(next);
    file = next;
    held = nextHeld;
  }

  await tick();
  const find = (keyId: string) => held.find(({ publicJwk }) => publicJwk.kid === keyId);
  return {
    hmacKey: Buffer.from(file.hmacKey, "base64url"),
    currentKeyId() {
      const key = currentKey(held, clock.now());
      if (key === undefined) throw new Error("A key ring has no keys");
      return key.publicJwk.kid;
    },
    privateKey: (keyId) => find(keyId)?.privateKey,
    publicKey: (keyId) => find(keyId)?.publicKey,
    jwks: () => ({ keys: publishedKeys(held, clock.now()).map(({ publicJwk }) => publicJwk) }),
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
  if (x === undefined || d === undefined) throw new Error("An Ed25519 key was made without x or d");
  return { kty: "OKP", crv: "Ed25519", x, d };
}

async function hold({ jwk, createdAt, signsFrom }: StoredKey): Promise<HeldKey> {
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
